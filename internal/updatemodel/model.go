// Package updatemodel makes random update requests and says what they do, by a
// model as plain as can be: a set of quads, patterns matched by trying every quad.
// Only tests import it.
package updatemodel

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// Store is a set of quads.
type Store map[rdf.Quad]struct{}

// Quads returns the quads in no order.
func (s Store) Quads() []rdf.Quad { return slices.Collect(maps.Keys(s)) }

// Request is a random update request.
type Request struct {
	Text string
	ops  []operation
	id   uint64 // names new blank nodes
}

// Apply returns what the request makes of a store. If an operation fails it
// returns the store as it was, and the error.
func (r *Request) Apply(s Store) (Store, error) {
	m := &model{quads: maps.Clone(s), created: make(map[rdf.Term]bool), request: r}
	for i, op := range r.ops {
		if err := op.apply(m); err != nil {
			return s, fmt.Errorf("operation %d: %w", i+1, err)
		}
	}
	return m.quads, nil
}

// model is a store while a request is carried out.
type model struct {
	quads   Store
	created map[rdf.Term]bool
	request *Request
	fresh   int
}

type operation interface {
	text() string
	apply(m *model) error
}

var (
	errExists = errors.New("the graph exists")
	errNone   = errors.New("there is no such graph")
)

func (m *model) exists(g rdf.Term) bool {
	if g.IsZero() || m.created[g] {
		return true
	}
	for q := range m.quads {
		if q.G == g {
			return true
		}
	}
	return false
}

func (m *model) remove(where func(rdf.Quad) bool) {
	maps.DeleteFunc(m.quads, func(q rdf.Quad, _ struct{}) bool { return where(q) })
}

// data is INSERT DATA or DELETE DATA.
type data struct {
	insert bool
	quads  []pattern
}

func (d *data) text() string {
	word := "DELETE DATA "
	if d.insert {
		word = "INSERT DATA "
	}
	return word + block(d.quads)
}

func (d *data) apply(m *model) error {
	m.fresh++
	for _, p := range d.quads {
		q, _ := p.fill(nil, rdf.Term{}, m.fresh, m)
		if d.insert {
			m.quads[q] = struct{}{}
		} else {
			delete(m.quads, q)
		}
	}
	return nil
}

// graphOp is CLEAR, DROP or CREATE.
type graphOp struct {
	word   string
	silent bool
	target string // "DEFAULT", "NAMED", "ALL", or a graph
	graph  rdf.Term
}

func (o *graphOp) text() string {
	target := o.target
	if target == "" {
		target = "GRAPH " + spell(o.graph)
	}
	return o.word + silentWord(o.silent) + " " + target
}

func (o *graphOp) apply(m *model) error {
	if o.word == "CREATE" {
		switch {
		case !m.exists(o.graph):
			m.created[o.graph] = true
		case !o.silent:
			return errExists
		}
		return nil
	}
	in := func(g rdf.Term) bool {
		switch o.target {
		case "DEFAULT":
			return g.IsZero()
		case "NAMED":
			return !g.IsZero()
		case "ALL":
			return true
		}
		return g == o.graph
	}
	m.remove(func(q rdf.Quad) bool { return in(q.G) })
	if o.word == "DROP" {
		maps.DeleteFunc(m.created, func(g rdf.Term, _ bool) bool { return in(g) })
	}
	return nil
}

// transfer is ADD, MOVE or COPY.
type transfer struct {
	word     string
	silent   bool
	from, to rdf.Term
}

func (o *transfer) text() string {
	name := func(g rdf.Term) string {
		if g.IsZero() {
			return "DEFAULT"
		}
		return "GRAPH " + spell(g)
	}
	return o.word + silentWord(o.silent) + " " + name(o.from) + " TO " + name(o.to)
}

func (o *transfer) apply(m *model) error {
	if !m.exists(o.from) {
		if o.silent {
			return nil
		}
		return errNone
	}
	if o.from == o.to {
		return nil
	}
	if o.word != "ADD" {
		m.remove(func(q rdf.Quad) bool { return q.G == o.to })
	}
	for _, q := range m.quads.Quads() {
		if q.G == o.from {
			q.G = o.to
			m.quads[q] = struct{}{}
		}
	}
	if o.word == "MOVE" {
		m.remove(func(q rdf.Quad) bool { return q.G == o.from })
		delete(m.created, o.from)
	}
	return nil
}

func silentWord(silent bool) string {
	if silent {
		return " SILENT"
	}
	return ""
}

// spell returns a term as a request has it.
func spell(t rdf.Term) string {
	if t.Kind() == rdf.KindIRI {
		return ":" + strings.TrimPrefix(t.Value(), base)
	}
	if t.Datatype() == rdf.XSDInteger {
		return t.Value()
	}
	return t.String()
}
