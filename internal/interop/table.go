package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// columns are what is tried of a file.
var columns = []string{"verify", "quads", "queries", "far", "summary", "search", "fold", "compact"}

// knownError is a difference that docs/peers.md names.
type knownError struct{ error }

// table prints a row for each file.
type table struct {
	out  io.Writer
	good bool
	list []string // what differs
}

func (t *table) head() {
	fmt.Fprintf(t.out, "%-14s %-34s", "graph", "file")
	for _, c := range columns {
		fmt.Fprintf(t.out, " %-8s", c)
	}
	fmt.Fprintln(t.out)
}

// row is what came of one file.
type row struct {
	graph, file string
	cells       map[string]string
	t           *table
}

func (t *table) row(graph, file string) *row {
	return &row{graph, file, map[string]string{}, t}
}

// cell notes what came of a column: nil is good.
func (r *row) cell(column string, err error) {
	if err == nil {
		r.cells[column] = "ok"
		return
	}
	what := fmt.Sprintf("%s, %s, %s: %s", r.graph, r.file, column, strings.TrimSpace(err.Error()))
	if errors.As(err, new(knownError)) {
		r.cells[column] = "known"
		r.t.list = append(r.t.list, "known: "+what)
		return
	}
	r.cells[column] = "DIFFERS"
	r.t.good = false
	r.t.list = append(r.t.list, what)
}

func (r *row) print() {
	fmt.Fprintf(r.t.out, "%-14s %-34s", r.graph, r.file)
	for _, c := range columns {
		cell := r.cells[c]
		if cell == "" {
			cell = "–"
		}
		fmt.Fprintf(r.t.out, " %-8s", cell)
	}
	fmt.Fprintln(r.t.out)
}

// notes prints what differs.
func (t *table) notes() {
	for _, l := range t.list {
		fmt.Fprintln(t.out, "\n"+l)
	}
}
