package parse

import (
	"slices"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// update reads the whole text as an update request.
func (p *parser) update() *ast.Update {
	u := &ast.Update{}
	start := p.tok.start
	p.prologue()
	for p.err == nil && p.tok.kind != kEOF {
		p.data.op = len(u.Ops)
		u.Ops = append(u.Ops, p.operation())
		if !p.accept(kSemicolon) {
			break
		}
		p.prologue()
	}
	p.expect(kEOF)
	u.Span = p.span(start)
	u.Version = p.version
	if p.base != nil {
		u.Base = p.base.String()
	}
	return u
}

// operation reads one operation.
func (p *parser) operation() ast.Operation {
	start := p.tok.start
	p.blanks.labels = nil
	switch p.tok.kind {
	case kInsert, kDelete, kWith:
		return p.change()
	case kLoad:
		return p.load()
	case kClear:
		silent, t := p.clear()
		return &ast.Clear{Span: p.span(start), Silent: silent, Target: t}
	case kDrop:
		silent, t := p.clear()
		return &ast.Drop{Span: p.span(start), Silent: silent, Target: t}
	case kCreate:
		p.advance()
		silent := p.accept(kSilent)
		t := ast.Target{}
		if p.is(kGraph) {
			t = p.target()
		} else {
			p.unexpected()
		}
		return &ast.Create{Span: p.span(start), Silent: silent, Target: t}
	case kAdd:
		silent, from, to := p.transfer()
		return &ast.Add{Span: p.span(start), Silent: silent, From: from, To: to}
	case kMove:
		silent, from, to := p.transfer()
		return &ast.Move{Span: p.span(start), Silent: silent, From: from, To: to}
	case kCopy:
		silent, from, to := p.transfer()
		return &ast.Copy{Span: p.span(start), Silent: silent, From: from, To: to}
	}
	p.unexpectedFor(kUpdate)
	return nil
}

// load reads LOAD.
func (p *parser) load() ast.Operation {
	l := &ast.Load{}
	start := p.tok.start
	p.advance()
	l.Silent = p.accept(kSilent)
	l.Source = p.iri()
	if p.accept(kInto) && p.expect(kGraph) {
		l.Into = p.iri()
	}
	l.Span = p.span(start)
	return l
}

// clear reads what stands after CLEAR and DROP.
func (p *parser) clear() (silent bool, t ast.Target) {
	p.advance()
	silent = p.accept(kSilent)
	start := p.tok.start
	switch {
	case p.is(kGraph):
		return silent, p.target()
	case p.accept(kDefault):
		t.Kind = ast.TargetDefault
	case p.accept(kNamed):
		t.Kind = ast.TargetNamed
	case p.accept(kAll):
		t.Kind = ast.TargetAll
	default:
		p.unexpected()
	}
	t.Span = p.span(start)
	return silent, t
}

// target reads GRAPH iri, iri or DEFAULT.
func (p *parser) target() ast.Target {
	start := p.tok.start
	if p.accept(kDefault) {
		return ast.Target{Span: p.span(start), Kind: ast.TargetDefault}
	}
	p.accept(kGraph)
	t := p.iri()
	return ast.Target{Span: p.span(start), IRI: t}
}

// transfer reads what stands after ADD, MOVE and COPY.
func (p *parser) transfer() (silent bool, from, to ast.Target) {
	p.advance()
	silent = p.accept(kSilent)
	from = p.target()
	p.expect(kTo)
	return silent, from, p.target()
}

// change reads the operations that begin with INSERT, DELETE or WITH.
func (p *parser) change() ast.Operation {
	start := p.tok.start
	m := &ast.Modify{}
	if p.base != nil {
		m.Base = p.base.String()
	}
	if p.accept(kWith) {
		m.With = p.iri()
		if p.tok.kind != kInsert {
			p.want.add(kInsert)
			p.is(kDelete)
		}
	} else if op := p.shortChange(start); op != nil {
		return op
	}
	if p.accept(kDelete) {
		m.HasDelete = true
		p.apart(place{name: "a DELETE template", noPath: true, noBlank: true}, func() { m.Delete = p.quads() })
	}
	if p.accept(kInsert) {
		m.HasInsert = true
		p.apart(place{name: "an INSERT template", noPath: true}, func() { m.Insert = p.quads() })
	}
	if !m.HasDelete && !m.HasInsert {
		p.unexpected()
	}
	for p.err == nil && p.is(kUsing) {
		m.Using = append(m.Using, p.datasetClause())
	}
	if p.expect(kWhere) {
		m.Where = p.group()
	}
	m.Span = p.span(start)
	return m
}

// shortChange reads INSERT DATA, DELETE DATA and DELETE WHERE. It returns nil,
// having taken nothing, before a template.
func (p *parser) shortChange(start uint32) ast.Operation {
	del := p.tok.kind == kDelete
	after := p.lexer
	next := after.next().kind
	switch {
	case next == kData && !del:
		p.advance()
		p.advance()
		q := p.insertData()
		return &ast.InsertData{Span: p.span(start), Quads: q}
	case next == kData:
		p.advance()
		p.advance()
		var q []ast.Quad
		p.apart(place{name: "DELETE DATA", noPath: true, noVar: true, noBlank: true}, func() { q = p.dataQuads() })
		return &ast.DeleteData{Span: p.span(start), Quads: q}
	case next == kWhere && del:
		p.advance()
		p.advance()
		var q []ast.Quad
		p.apart(place{name: "DELETE WHERE", noPath: true, noBlank: true}, func() { q = p.quads() })
		return &ast.DeleteWhere{Span: p.span(start), Quads: q}
	case next == kLBrace:
		return nil
	}
	p.advance()
	p.want.add(kData)
	if del {
		p.want.add(kWhere)
	}
	p.unexpectedFor(kLBrace)
	return &ast.Modify{}
}

// insertData reads the quads of INSERT DATA, whose labels must be of this
// operation alone.
func (p *parser) insertData() (q []ast.Quad) {
	p.apart(place{name: "INSERT DATA", data: true, noPath: true, noVar: true}, func() {
		q = p.dataQuads()
		for name := range p.blanks.labels {
			if p.blanks.data == nil {
				p.blanks.data = make(map[string]bool)
			}
			p.blanks.data[name] = true
		}
	})
	return q
}

// quads reads { triples GRAPH g { triples } … }.
func (p *parser) quads() []ast.Quad {
	var quads []ast.Quad
	defer p.leave()
	if !p.enter() || !p.expect(kLBrace) {
		return nil
	}
	for p.err == nil {
		if p.tripleStart() {
			dotted := p.quadTriples(&quads, ast.Node{})
			if !dotted && p.tripleStart() {
				p.want.add(kRBrace)
				p.is(kGraph)
				p.unexpected()
			}
			continue
		}
		if p.is(kRBrace) || !p.is(kGraph) {
			break
		}
		p.advance()
		g := p.varOrIRI()
		if g.Kind == ast.VarNode && p.place.noVar {
			p.failAt(g.Start, "there are no variables in "+p.place.name, "variables need a WHERE to bind them")
		}
		if p.expect(kLBrace) {
			if p.tripleStart() {
				p.quadTriples(&quads, g)
			} else {
				p.want.add(kTerm)
			}
			p.expect(kRBrace)
		}
		p.accept(kDot)
	}
	p.want.add(kTerm)
	p.expect(kRBrace)
	return quads
}

// quadTriples reads a block of triples into quads of graph g, those of one subject
// after the other: there may be millions.
func (p *parser) quadTriples(quads *[]ast.Quad, g ast.Node) (dotted bool) {
	if p.data.graph != g {
		p.feed(0)
		p.data.graph = g
	}
	for p.err == nil {
		mark := len(p.triples)
		p.sameSubject()
		if p.data.on {
			p.feed(dataPiece)
		} else {
			*quads = p.room(*quads, len(p.triples)-mark)
			for _, t := range p.triples[mark:] {
				*quads = append(*quads, ast.Quad{Triple: t, Graph: g})
			}
			p.triples = p.triples[:mark]
		}
		if !p.accept(kDot) {
			return false
		}
		if !p.tripleStart() {
			return true
		}
	}
	return true
}

// room makes room for n more quads. A long list gets it for as many as the rest of
// the text has if it goes on like this, so that it is copied once or twice.
func (p *parser) room(quads []ast.Quad, n int) []ast.Quad {
	have := len(quads)
	if have < 1024 || cap(quads)-have >= n {
		return quads
	}
	read, rest := int64(p.prevEnd-quads[0].Start)+1, int64(len(p.text))-int64(p.prevEnd)
	want := int64(have) * rest / read
	want += want / 32
	return slices.Grow(quads, max(n, have/4, int(min(want, 3*int64(have)))))
}
