package view

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/rdf"
)

// SortedQuads implements the View of package engine.
//
// Ids ascend by surface inside each dictionary section of each layer. So a graph
// is a few sorted streams, one for each section of each layer, and they are merged.
func (v *View) SortedQuads(ctx context.Context) iter.Seq2[*rdf.RawQuad, error] {
	return v.end.stream(ctx, func(f func(*rdf.RawQuad) error) error { return v.core.sortedQuads(ctx, f) })
}

func (v *view) sortedQuads(ctx context.Context, f func(*rdf.RawQuad) error) error {
	if err := v.sortedGraph(ctx, dataset.Graphs{Mode: dataset.Unnamed}, nil, f); err != nil {
		return err
	}
	graphs, err := v.NamedGraphs(ctx)
	if err != nil {
		return err
	}
	for _, g := range graphs {
		var name ids.Terms
		if err := v.Decode(ctx, []dataset.ID{g}, &name); err != nil {
			return err
		}
		if err := v.sortedGraph(ctx, dataset.Graphs{Mode: dataset.Each, Set: []dataset.ID{g}}, name.At(0), f); err != nil {
			return err
		}
	}
	return nil
}

// SortedGraph implements the View of package engine.
func (v *View) SortedGraph(ctx context.Context, graph rdf.Term) iter.Seq2[*rdf.RawQuad, error] {
	return v.end.stream(ctx, func(f func(*rdf.RawQuad) error) error { return v.core.sortedNamed(ctx, graph, f) })
}

func (v *view) sortedNamed(ctx context.Context, graph rdf.Term, f func(*rdf.RawQuad) error) error {
	if graph.IsZero() {
		return v.sortedGraph(ctx, dataset.Graphs{Mode: dataset.Unnamed}, nil, f)
	}
	name, id, found := []byte(graph.Surface()), make([]dataset.ID, 1), false
	if err := v.LookupSurfaces(ctx, [][]byte{name}, id); err != nil {
		return err
	}
	if id[0] != 0 {
		err := v.sortedGraph(ctx, dataset.Graphs{Mode: dataset.Each, Set: id}, name, func(q *rdf.RawQuad) error {
			found = true
			return f(q)
		})
		if err != nil || found {
			return err
		}
	}
	return fmt.Errorf("%w: %s", ErrNoGraph, graph)
}

func (v *view) sortedGraph(ctx context.Context, g dataset.Graphs, name []byte, f func(*rdf.RawQuad) error) error {
	var list, live []*sortedStream
	defer func() {
		for _, st := range list {
			st.cur.Close()
		}
	}()
	for _, l := range v.Adds {
		first := uint64(1)
		for sec := layers.Shared; sec <= layers.GraphSection; sec++ {
			size := uint64(l.Sizes.Size(sec))
			if size == 0 {
				continue
			}
			cur, err := v.Scan(ctx, dataset.Pattern{G: g}, 0, &dataset.ScanOptions{
				Cols: 1<<colS | 1<<colP | 1<<colO, From: []dataset.ID{l.ID(first)}, To: []dataset.ID{l.ID(first + size)}})
			if err != nil {
				return err
			}
			first += size
			st := &sortedStream{v: v, cur: cur}
			list = append(list, st)
			switch l.Layer.(type) {
			case *layers.Respelled, *layers.JournalTerms:
				err = st.loadAll(ctx) // the order of ids is that of stored spellings, or of arrival
			}
			more := false
			if err == nil {
				more, err = st.next(ctx)
			}
			if err != nil {
				return err
			}
			if more {
				live = append(live, st)
			}
		}
	}
	// A subject has one id, so it is in one stream.
	merge := kmerge.New(live, func(a, b **sortedStream) bool { return bytes.Compare((*a).group[0].s, (*b).group[0].s) < 0 })
	for merge.Len() > 0 {
		st := *merge.At(0)
		for i := range st.group {
			r := &st.group[i]
			if err := f(&rdf.RawQuad{S: r.s, P: r.p, O: r.o, G: name}); err != nil {
				return err
			}
		}
		more, err := st.next(ctx)
		if err != nil {
			return err
		}
		if more {
			merge.Fix(0)
		} else {
			merge.Drop(0)
		}
	}
	return nil
}

// sortedStream delivers the rows of one section of subjects, group by group: a
// group has one subject and one predicate, and its objects ascend by surface.
type sortedStream struct {
	v     *view
	cur   dataset.Cursor
	group []sortedRow
	rows  []sortedRow // of the current batch, after the group
	batch dataset.Batch
	ended bool
}

// sortedRow is a row by ids and by surfaces.
type sortedRow struct {
	subject, predicate dataset.ID
	s, p, o            []byte
}

// next makes the next group; false at the end.
func (st *sortedStream) next(ctx context.Context) (bool, error) {
	st.group = st.group[:0]
	for {
		for len(st.rows) > 0 {
			r := st.rows[0]
			if len(st.group) > 0 && (r.subject != st.group[0].subject || r.predicate != st.group[0].predicate) {
				st.sort()
				return true, nil
			}
			st.group = append(st.group, r)
			st.rows = st.rows[1:]
		}
		if st.ended {
			st.sort()
			return len(st.group) > 0, nil
		}
		if err := st.load(ctx); err != nil {
			return false, err
		}
	}
}

func (st *sortedStream) sort() {
	slices.SortFunc(st.group, func(a, b sortedRow) int { return bytes.Compare(a.o, b.o) })
}

// loadAll decodes and sorts all that is left.
func (st *sortedStream) loadAll(ctx context.Context) error {
	var all []sortedRow
	for !st.ended {
		st.rows = nil
		if err := st.load(ctx); err != nil {
			return err
		}
		all = append(all, st.rows...)
	}
	slices.SortFunc(all, func(a, b sortedRow) int {
		return cmp.Or(bytes.Compare(a.s, b.s), bytes.Compare(a.p, b.p))
	})
	st.rows = all
	return nil
}

// load decodes the next batch. Rows of the previous batch may still be in the
// group, so each batch has text of its own.
func (st *sortedStream) load(ctx context.Context) error {
	b := &st.batch
	switch err := st.cur.Next(ctx, b); {
	case errors.Is(err, io.EOF):
		st.ended = true
		return nil
	case err != nil:
		return err
	}
	list := DistinctIDs(b)
	var terms ids.Terms
	if err := st.v.Decode(ctx, list, &terms); err != nil {
		return err
	}
	text := func(id dataset.ID) []byte { return terms.At(Place(list, id)) }
	st.rows = make([]sortedRow, b.N)
	for i := range st.rows {
		s, p := b.Col[colS][i], b.Col[colP][i]
		st.rows[i] = sortedRow{s, p, text(s), text(p), text(b.Col[colO][i])}
	}
	return nil
}
