package view

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/tile"
	"github.com/rete-go/rete/tombstone"
)

// checkedContext is a context that counts the checks of it, and ends at the k-th; 0: never.
type checkedContext struct {
	context.Context
	checks, end int
}

func (c *checkedContext) Err() error {
	if c.checks++; c.end > 0 && c.checks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestContextChecksInside does what a query may have to do with very many rows at once: there is a
// check of the context at least for every 64 Ki of them, and it ends with the context at each.
func TestContextChecksInside(t *testing.T) {
	const n = 5*(64<<10) + 9
	rows := make([]tombstone.Row, n) // in SPO
	falling := make([]tombstone.Row, n)
	list := make([]segment.GraphRow, n)
	for i := range rows {
		rows[i] = tombstone.Row{Key: tombstone.Key{uint64(i), uint64(i % 7), uint64(i % 1000)}, Weight: 2}
		falling[n-1-i] = rows[i]
		list[i] = segment.GraphRow{uint32(i%30_000) + 1, uint32(i%7) + 1, uint32(i%1000) + 1, uint32(i/1000) + 1}
	}
	only := make([]bool, n/1000+2)
	for i := range only {
		only[i] = i%3 > 0
	}
	names := &viewNames{}
	names.Graphs.Ranks = [][]uint32{make([]uint32, len(only))}
	scan := &graphRowScan{q: &query{v: &view{IDs: idspace.IDs{Base: &idspace.Layer{}}}, names: names}, all: list, only: only, byGraph: true}
	scan.q.v.Base.Sizes.Graphs = uint32(len(only) - 1)
	literals := func() *valueindex.Builder {
		b := valueindex.NewBuilder(nil)
		for i := range uint32(n) {
			if err := b.Add(i+1, fmt.Appendf(nil, `"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, i*7919%n)); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	for name, work := range map[string]func(ctx context.Context) error{
		"graph rows": func(ctx context.Context) error { _, err := segment.NewGraphRows(ctx, list, tile.POS); return err },
		"graph rows of one id": func(ctx context.Context) error {
			_, err := segment.NewLeadRows(ctx, list, tile.POS, 3, true)
			return err
		},
		"counted graph rows": func(ctx context.Context) error {
			_, err := scan.count(ctx)
			return err
		},
		"sizes of graph rows": func(ctx context.Context) error { _, err := scan.sizes(ctx); return err },
		"graph rows by graph": func(ctx context.Context) error { _, err := scan.groups(ctx, list); return err },
		"skipped graph rows": func(ctx context.Context) error {
			none := graphRowScan{only: make([]bool, len(only))}
			return (&cursor{graphRows: &none, ahead: list}).skipOthers(ctx)
		},
		"value index": func(ctx context.Context) error { _, err := valueindex.Make(ctx, literals()); return err },
	} {
		ctx := &checkedContext{Context: t.Context()}
		if err := work(ctx); err != nil {
			t.Fatal(name, err)
		}
		if ctx.checks < n/(64<<10) {
			t.Errorf("%s: %d checks for %d rows", name, ctx.checks, n)
		}
		for k := 1; k <= ctx.checks; k += 1 + k/2 {
			if err := work(&checkedContext{Context: t.Context(), end: k}); err != context.Canceled {
				t.Errorf("%s, ended at check %d of %d: %v", name, k, ctx.checks, err)
			}
		}
	}
}

// TestContextChecksInsideViews reads views whose layers are large in orders that they have to be
// sorted for: nothing is done with many rows without a check, and a read ends at each check,
// and can be done again.
func TestContextChecksInsideViews(t *testing.T) {
	const n = 50_000
	quads := func(from int) [][4]string {
		list := make([][4]string, n)
		for i := range list {
			list[i] = [4]string{fmt.Sprintf("<http://e/s%d>", from+i), "<http://e/p>", fmt.Sprintf("<http://e/o%d>", (from+i)*7%n), ""}
		}
		return list
	}
	log := []layers.Entry{{Adds: layers.NewMemory("base", quads(0))}, {Adds: layers.NewMemory("more", quads(n/2))}, {Dels: layers.NewMemory("less", quads(n/4))}}
	missed := cancel.Missed.Load()
	for name, opt := range map[string]*ViewOptions{"in memory": nil, "where they are": {DeltaBytes: -1, MatchRows: 3000}} {
		read := func(ctx context.Context, v *view, k int) error {
			p := dataset.Pattern{}
			o := v.Orders(p)[k%len(v.Orders(p))]
			opt := &dataset.ScanOptions{Cols: 7}
			if k%2 == 1 {
				opt.Within[o.Columns()[0]] = new(ids.Set)
				opt.Within[o.Columns()[0]].AddRange(1, 2*n)
			}
			c, err := v.Scan(ctx, p, o, opt)
			if err != nil {
				return err
			}
			defer c.Close()
			var b dataset.Batch
			for {
				if err := c.Next(ctx, &b); err == io.EOF {
					_, err := v.Count(ctx, p)
					return err
				} else if err != nil {
					return err
				}
			}
		}
		for k := range 6 {
			ctx := &checkedContext{Context: t.Context()}
			if err := read(ctx, NewCore(log, opt), k); err != nil {
				t.Fatal(name, k, err)
			}
			v := NewCore(log, opt)
			for end := ctx.checks; end > 0; end = end*2/5 - k%3 {
				c := &checkedContext{Context: t.Context(), end: end}
				if err := read(c, v, k); err != context.Canceled && c.checks >= end {
					t.Errorf("%s, %d: ended at check %d of %d: %v", name, k, end, ctx.checks, err)
				}
			}
			if err := read(t.Context(), v, k); err != nil {
				t.Error(err)
			}
		}
	}
	if rows := cancel.Missed.Load() - missed; rows > 0 {
		t.Errorf("%d rows were handled without a check", rows)
	}
}
