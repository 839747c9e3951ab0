package view

import (
	"context"
	"io"
	"iter"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/rdf"
)

// Quads implements the View of package engine.
func (v *View) Quads(ctx context.Context, p dataset.Pattern) iter.Seq2[*rdf.RawQuad, error] {
	return v.end.stream(ctx, func(f func(*rdf.RawQuad) error) error { return v.core.Quads(ctx, p, f) })
}

// Each is [View.Each].
func (v *view) Each(ctx context.Context, f func(*rdf.RawQuad) error) error {
	return v.Quads(ctx, dataset.Pattern{}, f)
}

// Len returns the exact number of visible quads.
func (v *View) Len(ctx context.Context) (n uint64, err error) {
	if err = v.end.Over(); err == nil {
		n, err = v.core.Len(ctx)
	}
	return n, v.end.Late(ctx, err)
}

func (v *view) Len(ctx context.Context) (uint64, error) {
	n, err := v.Count(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Unnamed}})
	if err != nil {
		return 0, err
	}
	named, err := v.Count(ctx, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Each}})
	return n + named, err
}

// DistinctIDs returns the ids of a batch, ascending, each once.
func DistinctIDs(b *dataset.Batch) []dataset.ID {
	var list []dataset.ID
	for _, col := range b.Col {
		list = append(list, col...)
	}
	return sortedIDs(list)
}

// sortedIDs sorts ids in place and returns each once, without 0.
func sortedIDs(list []dataset.ID) []dataset.ID {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > 0 && list[0] == 0 {
		list = list[1:]
	}
	return list
}

// Place returns the index of an id in an ascending list that has it.
func Place(list []dataset.ID, id dataset.ID) int {
	i, _ := slices.BinarySearch(list, id)
	return i
}

// Quads calls f for every visible quad that matches p, default graph first,
// then graph by graph in the order of names. p.G is ignored. The quad is valid
// during the call.
func (v *view) Quads(ctx context.Context, p dataset.Pattern, f func(*rdf.RawQuad) error) error {
	for _, mode := range []dataset.GraphMode{dataset.Unnamed, dataset.Each} {
		p.G = dataset.Graphs{Mode: mode}
		cur, err := v.Scan(ctx, p, v.Orders(p)[0], nil)
		if err != nil {
			return err
		}
		err = v.eachRow(ctx, cur, f)
		cur.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *view) eachRow(ctx context.Context, cur dataset.Cursor, f func(*rdf.RawQuad) error) error {
	var b dataset.Batch
	var terms ids.Terms
	for {
		err := cur.Next(ctx, &b)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		list := DistinctIDs(&b)
		terms.Reset()
		if err := v.Decode(ctx, list, &terms); err != nil {
			return err
		}
		at := func(col, row int) []byte {
			if len(b.Col[col]) == 0 || b.Col[col][row] == 0 {
				return nil
			}
			return terms.At(Place(list, b.Col[col][row]))
		}
		for row := range b.N {
			q := rdf.RawQuad{S: at(colS, row), P: at(colP, row), O: at(colO, row), G: at(colG, row)}
			if err := f(&q); err != nil {
				return err
			}
		}
	}
}
