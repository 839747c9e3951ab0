package parse

import (
	"strings"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// dataPiece is how many triples of INSERT DATA or DELETE DATA are handed on at a time, at
// least.
const dataPiece = 256

// dataFeed hands on the quads of INSERT DATA and DELETE DATA while they are read: there may
// be more of them than there is memory for their tree.
type dataFeed struct {
	use   func(op int, quads []ast.Quad) error // nil: they stay in the tree
	op    int                                  // the number of the operation being read
	on    bool                                 // an operation whose quads are handed on is being read
	depth int                                  // of its triples
	graph ast.Node                             // that they are in
	quads []ast.Quad                           // for use
	held  int64                                // by the meter, without them
	err   error                                // of use
}

// keep counts bytes of the operation that stay when its quads are handed on.
func (d *dataFeed) keep(bytes int64) { d.held += bytes }

// dataQuads reads the quads of INSERT DATA or DELETE DATA, and returns those that were not
// handed on.
func (p *parser) dataQuads() []ast.Quad {
	if p.data.use == nil {
		return p.quads()
	}
	p.data.on, p.data.depth, p.data.held = true, p.depth+1, p.meter.Held()
	p.quads()
	p.feed(0)
	p.data.on = false
	return nil
}

// feed hands on the triples that were read if they are more than least. Inside of a node that
// is being read the triples are not whole.
func (p *parser) feed(least int) {
	d := &p.data
	if !d.on || len(p.triples) <= least || p.err != nil || p.depth > d.depth {
		return
	}
	d.quads = d.quads[:0]
	for _, t := range p.triples {
		d.quads = append(d.quads, ast.Quad{Triple: t, Graph: d.graph})
	}
	if d.err = d.use(d.op, d.quads); d.err != nil {
		p.abandon()
	}
	clear(p.triples)
	p.triples = p.triples[:0]
	p.meter.Hold(int(d.held - p.meter.Held()))
}

// kept returns a piece of the text as the tree has it: a copy if the text is not to be kept
// for its sake.
func (p *parser) kept(s string) string {
	if p.data.use != nil && !p.data.on {
		return strings.Clone(s)
	}
	return s
}
