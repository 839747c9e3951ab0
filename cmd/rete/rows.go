package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// answerRows writes the rows of a SELECT and tells how many there were.
func (a *app) answerRows(ctx context.Context, snap *rete.Snapshot, q *sparql.Query, format sparql.Format, opts []sparql.Option, f *queryFlags) error {
	kind := format.Rows()
	start, n := time.Now(), uint64(0)
	var out results.Writer
	var took time.Duration // without that of reading in the pager
	whole := false
	err := a.rows(f, func(w io.Writer, writer func(io.Writer, results.Format) results.Writer) error {
		rows, err := snap.Select(ctx, q, opts...)
		if err != nil {
			return err
		}
		out = writer(w, kind)
		err = rows.WriteTo(counted(out, &n))
		took, whole = time.Since(start), err == nil
		return err
	})
	if err != nil || !whole || !terminal.Is(a.err) {
		return err
	}
	note := plural(int(n), "row", "rows")
	if !f.time {
		note = fmt.Sprintf("%s, %.3f s", note, took.Seconds())
	}
	if t, ok := out.(results.Table); ok && t.Cut() > 0 {
		note += fmt.Sprintf("; %s cut, --wide or --format lines shows all", plural(t.Cut(), "cell", "cells"))
	}
	a.note("%s", note)
	return nil
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
