package parse

import "github.com/rete-go/rete/sparql/internal/ast"

// place says what may stand in the triples that are being read.
type place struct {
	name    string // for messages: "INSERT DATA"
	data    bool   // of INSERT DATA
	noPath  bool   // templates and quads have no property paths
	noVar   bool
	noBlank bool
}

// blanks numbers the blank nodes of a text.
type blanks struct {
	last   int32
	labels map[string]labelUse
	// bgp is the number of the basic graph pattern being read; a label of one
	// must not stand in another. Templates are numbered like patterns.
	bgp, lastBGP int32
	// data are the labels of the INSERT DATA operations so far.
	data map[string]bool
}

type labelUse struct{ node, bgp int32 }

// newBGP begins another basic graph pattern.
func (b *blanks) newBGP() {
	b.lastBGP++
	b.bgp = b.lastBGP
}

// fresh returns a blank node without a label, that stands for text at s.
func (p *parser) fresh(s ast.Span) ast.Node {
	if p.place.noBlank {
		p.noBlankHere(s.Start)
	}
	p.blanks.last++
	return ast.Node{Span: s, Kind: ast.BlankNode, Blank: p.blanks.last}
}

func (p *parser) noBlankHere(start uint32) {
	p.failAt(start, "there are no blank nodes in "+p.place.name,
		"a blank node cannot name what is to be deleted; match it with a variable in WHERE")
}

// label takes the label of a blank node.
func (p *parser) label() ast.Node {
	t := p.tok
	p.advance()
	name := p.kept(p.text[t.start+2 : t.end])
	n := ast.Node{Span: ast.Span{Start: t.start, End: t.end}, Kind: ast.BlankNode, Name: name}
	if p.place.noBlank {
		p.noBlankHere(t.start)
		return n
	}
	b := &p.blanks
	if p.place.data && b.data[name] {
		p.failAt(t.start, "the label "+quote(shorten("_:"+name))+" is used in two INSERT DATA operations",
			"each operation has blank nodes of its own: use two labels, or one operation")
	}
	if u, ok := b.labels[name]; ok {
		if u.bgp != b.bgp {
			p.failAt(t.start, "the label "+quote(shorten("_:"+name))+" is used in two basic graph patterns",
				"use a variable to join them")
		}
		n.Blank = u.node
		return n
	}
	b.last++
	n.Blank = b.last
	if b.labels == nil {
		b.labels = make(map[string]labelUse)
	}
	b.labels[name] = labelUse{b.last, b.bgp}
	p.data.keep(nodeBytes) // of those for the token
	return n
}

// apart runs read with labels of its own: those of a template are not those of
// the pattern.
func (p *parser) apart(pl place, read func()) {
	labels, old := p.blanks.labels, p.place
	p.blanks.labels, p.place = nil, pl
	p.blanks.newBGP()
	read()
	p.blanks.labels, p.place = labels, old
}
