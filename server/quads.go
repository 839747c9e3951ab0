package server

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/watch"
	"github.com/rete-go/rete/rdf"
)

// hasRows reports whether a pattern has a row.
func hasRows(ctx context.Context, ds dataset.Dataset, p dataset.Pattern) (bool, error) {
	c, err := ds.Scan(ctx, p, ds.Orders(p)[0], nil)
	if err != nil {
		return false, err
	}
	defer c.Close()
	var b dataset.Batch
	err = c.Next(ctx, &b)
	if err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

// eachQuad hands out the rows of a pattern as quads, in the cheapest order that
// begins with the subject, if there is one.
func eachQuad(ctx context.Context, ds dataset.Dataset, p dataset.Pattern, use func(*rdf.RawQuad) error) error {
	orders := ds.Orders(p)
	order := orders[0]
	for _, o := range orders {
		if o.Columns()[0] == 0 { // the subject: syntaxes write it once
			order = o
			break
		}
	}
	c, err := ds.Scan(ctx, p, order, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	watched := watch.From(ctx)
	var (
		b     dataset.Batch
		terms dataset.Terms
		ids   []dataset.ID
	)
	for {
		if err := c.Next(ctx, &b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		watched.Count(b.N)
		ids = ids[:0]
		for _, col := range b.Col {
			ids = append(ids, col...)
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		terms.Reset()
		if err := ds.Decode(ctx, ids, &terms); err != nil {
			return err
		}
		at := func(id dataset.ID) []byte {
			i, _ := slices.BinarySearch(ids, id)
			return terms.At(i)
		}
		for row := range b.N {
			q := rdf.RawQuad{S: at(b.Col[0][row]), P: at(b.Col[1][row]), O: at(b.Col[2][row])}
			if len(b.Col[3]) > 0 {
				q.G = at(b.Col[3][row])
			}
			if err := use(&q); err != nil {
				return err
			}
		}
	}
}
