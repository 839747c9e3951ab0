package main

import (
	"context"
	"io"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// answerRows writes the rows of a SELECT and tells how many there were, and why, as
// far as it can be told, if there were none.
func (a *app) answerRows(ctx context.Context, snap *rete.Snapshot, q *sparql.Query, format sparql.Format, opts []sparql.Option, f *queryFlags) error {
	kind := format.Rows()
	start, n := time.Now(), uint64(0)
	err := a.output(f.out, func(w io.Writer) error {
		rows, err := snap.Select(ctx, q, opts...)
		if err != nil {
			return err
		}
		return rows.WriteTo(counted(results.NewWriter(w, kind), &n))
	})
	if err != nil {
		return err
	}
	if isTerminal(a.err) {
		a.note("%s, %.3f s", plural(int(n), "row", "rows"), time.Since(start).Seconds())
	}
	if n > 0 || a.quiet {
		return nil
	}
	return a.explainNothing(ctx, snap.Dataset(), q, f.union)
}

// counted returns w such that n counts the rows on their way.
func counted(w results.Writer, n *uint64) results.Writer {
	c := countedRows{w, n}
	if cells, ok := w.(results.CellWriter); ok {
		return countedCells{c, cells}
	}
	return c
}

type countedRows struct {
	results.Writer
	n *uint64
}

func (c countedRows) Row(row [][]byte) error {
	*c.n++
	return c.Writer.Row(row)
}

// countedCells is countedRows of a writer that takes spelled terms.
type countedCells struct {
	countedRows
	cells results.CellWriter
}

func (c countedCells) AppendCell(dst, surface []byte) ([]byte, error) {
	return c.cells.AppendCell(dst, surface)
}

func (c countedCells) Cells(row [][]byte) error {
	*c.n++
	return c.cells.Cells(row)
}

// explainNothing notes which constants of the patterns are not in the data, and
// which predicates are in named graphs only.
func (a *app) explainNothing(ctx context.Context, ds sparql.Dataset, q *sparql.Query, union bool) error {
	for _, c := range q.Constants() {
		id := make([]sparql.ID, 1)
		if err := ds.Lookup(ctx, []rdf.Term{c.Term}, id); err != nil {
			return err
		}
		if id[0] == 0 {
			a.note("note: %s is not in the data", c.Term)
			continue
		}
		if !c.Predicate || union || len(q.FromClauses()) > 0 {
			continue
		}
		unnamed, err := ds.Count(ctx, sparql.Pattern{P: id[0]})
		if err != nil {
			return err
		}
		named, err := ds.Count(ctx, sparql.Pattern{P: id[0], G: sparql.Graphs{Mode: dataset.Each}})
		if err != nil {
			return err
		}
		if unnamed == 0 && named > 0 {
			a.note("note: the predicate %s occurs in named graphs only; use GRAPH ?g { … } or --union-default-graph", c.Term)
		}
	}
	return nil
}
