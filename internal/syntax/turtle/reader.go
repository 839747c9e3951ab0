package turtle

import (
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/internal/syntax/labels"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

// Reader reads a Turtle or TriG document. It implements [rdf.Reader].
type Reader struct {
	source
	opt      rdf.Options
	trig     bool
	base     *iri.Base
	prefixes prefixes.Set // prefix without colon → namespace
	declared prefixes.Declared
	labels   labels.Namer

	stack []frame
	depth int // open frames: stack[:depth]; the rest keeps its memory for reuse

	inGraph bool
	graph   []byte // name of the graph that is open, nil in the default graph

	out     rdf.RawQuad // the statement that step found
	ready   bool
	pending []rdf.RawQuad // statements that go before out, from reifiers
	scratch []byte
	fatal   error
}

// NewReader returns a reader of Turtle.
func NewReader(src io.Reader, opt rdf.Options) *Reader { return newReader(src, opt, false) }

// NewTriGReader returns a reader of TriG.
func NewTriGReader(src io.Reader, opt rdf.Options) *Reader { return newReader(src, opt, true) }

func newReader(src io.Reader, opt rdf.Options, trig bool) *Reader {
	r := &Reader{
		source: source{src: src, pos: lex.Start}, opt: opt, trig: trig,
		prefixes: prefixes.Set{}, labels: labels.Namer{Mode: opt.Blank},
	}
	if opt.Base != "" {
		r.base, r.fatal = iri.NewBase(opt.Base)
	}
	return r
}

// Prefixes returns the prefixes declared so far, each without its colon, and
// the namespaces that they had first; of many the first [prefixes.MaxNames]. The map is the
// reader's own: it may grow with each Read.
func (r *Reader) Prefixes() prefixes.Set { return r.declared.Set() }

// Declared implements [prefixes.Declarer].
func (r *Reader) Declared() *prefixes.Declared { return &r.declared }

// Read implements [rdf.Reader].
func (r *Reader) Read(q *rdf.RawQuad) error {
	for {
		if len(r.pending) > 0 {
			*q = r.pending[0]
			r.pending = r.pending[1:]
			return nil
		}
		if r.ready {
			r.ready = false
			*q = r.out
			return nil
		}
		if r.fatal != nil {
			return r.fatal
		}
		done, err := r.step()
		switch {
		case err != nil && r.err != nil:
			r.fatal = r.err
		case err != nil:
			pos := r.position(err.Pos)
			r.fatal = &rdf.SyntaxError{File: r.opt.File, Line: pos.Line, Column: pos.Column, Offset: pos.Offset, Expected: err.Expected, Found: err.Found}
		case done && r.err != nil:
			r.fatal = r.err
		case done:
			r.fatal = io.EOF
		}
	}
}

// emit makes a statement of the open graph the next one to deliver.
func (r *Reader) emit(s, p, o []byte) {
	r.out = rdf.RawQuad{S: s, P: p, O: o, G: r.graph}
	r.ready = true
}

// A frame is an open construct: a statement, or brackets inside one.
type frame struct {
	kind       uint8
	state      uint8
	hasReifier bool
	s, p, o    []byte // surfaces of the statement at hand, in memory of the frame
	reifier    []byte
}

const (
	inStatement  = iota // subject … .
	inBrackets          // [ … ]
	inAnnotation        // {| … |}
	inList              // ( … )
)

const (
	wantVerb       = iota
	wantVerbOrEnd  // after a semicolon, or a subject that is complete by itself
	wantObject     // also: an element of a list
	afterObject    // annotations, or what separates objects
	wantElement    // the first element of a list, which has one
	afterElement   // the next element or the end of a list
	movedToElement // a list goes on at a new node
)

// maxOpen bounds how many brackets may be open at once.
const maxOpen = 100_000

func (r *Reader) push(kind, state uint8, subject []byte) (*frame, *lex.Error) {
	if r.depth == maxOpen {
		return nil, &lex.Error{Expected: fmt.Sprintf("at most %d open brackets", maxOpen), Found: "one more"}
	}
	if r.depth == len(r.stack) {
		r.stack = append(r.stack, frame{})
	}
	f := &r.stack[r.depth]
	r.depth++
	f.kind, f.state, f.hasReifier = kind, state, false
	f.s, f.p = append(f.s[:0], subject...), f.p[:0]
	return f, nil
}
