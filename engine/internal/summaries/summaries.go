// Package summaries brings the summary of a base segment up to date with what a graph has changed
// since. It costs what the changes cost, and for the links between classes also the triples of the
// subjects whose class has changed: the base is not read.
package summaries

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/summary"
	"github.com/rete-go/rete/rdf"
)

// Change is a triple of the default graph that either the base or the graph has, by its ids in
// the graph: a row of its columns S, P and O.
type Change struct {
	Row [3]dataset.ID
	Add bool // the graph has it
}

// minusOne is -1 for sums that never fall below 0.
const minusOne = ^uint64(0)

func (c *Change) sign() uint64 {
	if c.Add {
		return 1
	}
	return minusOne
}

// ChangeBytes is what a change takes, and what is kept of its terms, about.
const ChangeBytes = 200

// folder brings a summary up to date.
type folder struct {
	g       dataset.Dataset
	s       *summary.Summary
	empty   bool // the base is
	changes []Change
	memory  int64 // that is left
	known   [4]dataset.ID
	names   map[dataset.ID]string
	classes map[dataset.ID]*classes
	types   map[dataset.ID][]Change // of a subject
}

// The predicates that are looked up.
const (
	typeOf = iota
	subClassOf
	disjointWith
	equivalentTo
)

// classes are those of a node, in the base and in the graph: the first by surface, "(untyped)"
// without any, "(literal)" of a literal.
type classes struct{ before, now string }

// Fold returns the summary of a graph from that of its base, which is not changed, and the
// difference. Counts of predicates and classes are exact. So are the links between classes, if the
// base has all of them and memory bytes are enough; else they are those of the base, as the
// communities are, and [summary.Summary.OfBase] says so.
func Fold(ctx context.Context, base *summary.Summary, g dataset.Dataset, changes []Change, memory int64) (*summary.Summary, error) {
	s := *base
	if len(changes) == 0 {
		return &s, nil
	}
	if len(s.Communities) > 0 {
		s.OfBase = []string{"communities"}
	}
	f := &folder{g: g, s: &s, empty: base.Triples == 0, changes: changes, memory: memory - int64(len(changes))*ChangeBytes,
		names: map[dataset.ID]string{}, classes: map[dataset.ID]*classes{}, types: map[dataset.ID][]Change{}}
	err := g.Lookup(ctx, []rdf.Term{
		rdf.IRI(rdf.RDF + "type"), rdf.IRI("http://www.w3.org/2000/01/rdf-schema#subClassOf"),
		rdf.IRI("http://www.w3.org/2002/07/owl#disjointWith"), rdf.IRI("http://www.w3.org/2002/07/owl#equivalentClass"),
	}, f.known[:])
	if err != nil {
		return nil, err
	}
	if err := f.predicates(ctx); err != nil {
		return nil, err
	}
	return &s, f.schema(ctx)
}

// predicates counts triples and those of each predicate.
func (f *folder) predicates(ctx context.Context) error {
	delta := map[dataset.ID]uint64{}
	for _, c := range f.changes {
		delta[c.Row[dataset.P]] += c.sign()
		f.s.Triples += c.sign()
		if c.Row[dataset.P] == f.known[typeOf] {
			f.types[c.Row[dataset.S]] = append(f.types[c.Row[dataset.S]], c)
		}
	}
	if err := f.name(ctx, slices.Collect(maps.Keys(delta))); err != nil {
		return err
	}
	at := map[string]uint64{}
	for id, n := range delta {
		at[f.names[id]] = n
	}
	var out []summary.Predicate
	for _, p := range f.s.Predicates {
		if n, ok := at[p.Name]; ok {
			p = summary.Predicate{Name: p.Name, Triples: p.Triples + n}
			delete(at, p.Name)
		}
		if p.Triples > 0 {
			out = append(out, p)
		}
	}
	for name, n := range at {
		if n > 0 {
			out = append(out, summary.Predicate{Name: name, Triples: n})
		}
	}
	slices.SortFunc(out, func(x, y summary.Predicate) int { return strings.Compare(x.Name, y.Name) })
	f.s.Predicates = out
	return nil
}

// name decodes the names of ids that are not known yet.
func (f *folder) name(ctx context.Context, list []dataset.ID) error {
	list = slices.DeleteFunc(list, func(id dataset.ID) bool { _, ok := f.names[id]; return ok })
	slices.Sort(list)
	list = slices.Compact(list)
	var terms ids.Terms
	if err := f.g.Decode(ctx, list, &terms); err != nil {
		return err
	}
	for i, id := range list {
		f.names[id] = string(terms.At(i))
		f.memory -= int64(len(f.names[id])) + 64
	}
	return nil
}

// rows calls use for the triples of the default graph that match a pattern, some at a time.
func (f *folder) rows(ctx context.Context, p dataset.Pattern, use func(rows [][3]dataset.ID) error) error {
	cur, err := f.g.Scan(ctx, p, f.g.Orders(p)[0], nil)
	if err != nil {
		return err
	}
	defer cur.Close()
	var b dataset.Batch
	var rows [][3]dataset.ID
	bound := p.Columns()
	for {
		err := cur.Next(ctx, &b)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		rows = rows[:0]
		for i := range b.N {
			row := bound
			for c := range row {
				if row[c] == 0 {
					row[c] = b.Col[c][i]
				}
			}
			rows = append(rows, row)
		}
		if err := use(rows); err != nil {
			return err
		}
	}
}

// pairs returns the names of the subjects and objects of a predicate between classes.
func (f *folder) pairs(ctx context.Context, predicate int) (pairs [][2]string, err error) {
	if f.known[predicate] == 0 {
		return nil, nil
	}
	err = f.rows(ctx, dataset.Pattern{P: f.known[predicate]}, func(rows [][3]dataset.ID) error {
		var list []dataset.ID
		for _, r := range rows {
			list = append(list, r[dataset.S], r[dataset.O])
		}
		if err := f.name(ctx, list); err != nil {
			return err
		}
		for _, r := range rows {
			if o := f.names[r[dataset.O]]; o[0] != '"' {
				pairs = append(pairs, [2]string{f.names[r[dataset.S]], o})
			}
		}
		return nil
	})
	return pairs, err
}

// unordered brings the lesser name of each pair first, and leaves out repeats and pairs of one name.
func unordered(pairs [][2]string) (list [][2]string) {
	for _, p := range pairs {
		if p[0] != p[1] {
			list = append(list, [2]string{min(p[0], p[1]), max(p[0], p[1])})
		}
	}
	slices.SortFunc(list, func(x, y [2]string) int { return slices.Compare(x[:], y[:]) })
	list = slices.Compact(list)
	return list[:min(len(list), summary.MaxClasses)]
}
