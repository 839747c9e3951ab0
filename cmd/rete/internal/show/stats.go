// Package show has what commands and the shell show to people in the same way.
package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/turtle"
)

// Layout is how something is shown.
type Layout struct {
	Prefixes *turtle.Shortener // shorten IRIs
	Width    int               // columns that a line may take; 0: any number
	Color    bool
}

// grouped returns n with groups of three digits: 1,234,567.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural returns n with a noun.
func plural(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// Stats writes statistics as tables, one a list.
func Stats(w io.Writer, s *stats.Stats, l Layout) error {
	var b strings.Builder
	b.WriteString(plural(s.Quads, "quad"))
	if s.Graphs.Distinct > 0 {
		fmt.Fprintf(&b, ", %s of them in the default graph, %s", grouped(s.Default), plural(s.Graphs.Distinct, "named graph"))
	}
	b.WriteByte('\n')
	l.list(&b, "class", s.Classes)
	l.list(&b, "predicate", s.Predicates)
	l.list(&b, "graph", s.Graphs)
	if t := s.Literals; t != nil && t.Distinct > 0 {
		fmt.Fprintf(&b, "\n%s in %s\n", plural(t.Distinct, "literal"), plural(t.Quads, "quad"))
		l.list(&b, "datatype", t.Datatypes)
		l.list(&b, "language", t.Languages)
	}
	if s.Subjects != nil {
		l.list(&b, "subject", s.Subjects.List)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// term returns a term as a cell has it; its IRI is shortened.
func (l *Layout) term(t rdf.Term) string {
	if l.Prefixes == nil {
		return display.Clean(t.String())
	}
	return display.Clean(string(l.Prefixes.AppendTerm(nil, []byte(t.Surface()))))
}

// list writes a list, if it has entries, with a line for those that are left out.
func (l *Layout) list(b *strings.Builder, name string, list stats.List) {
	if len(list.Entries) == 0 {
		return
	}
	cells := [][]string{{name, "quads", ""}}
	for _, e := range list.Entries {
		text := l.term(e.Term)
		if name == "language" {
			text = display.Clean(e.Term.Value())
		}
		row := []string{text, grouped(e.Quads), ""}
		if e.Terms > 0 {
			row[2], cells[0][2] = grouped(e.Terms), "literals"
		}
		cells = append(cells, row)
	}
	widths := make([]int, 3)
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], display.Width(cell))
		}
	}
	if l.Width > 0 {
		widths[0] = min(widths[0], max(l.Width-widths[1]-widths[2]-4, 10))
	}
	b.WriteByte('\n')
	for i, row := range cells {
		line := display.CutMiddle(row[0], widths[0])
		line += display.Pad(line, widths[0])
		for c, cell := range row[1:] {
			if widths[c+1] > 0 {
				line += "  " + display.Pad(cell, widths[c+1]) + cell
			}
		}
		line = strings.TrimRight(line, " ")
		if i == 0 && l.Color {
			line = "\x1b[1m" + line + "\x1b[0m"
		}
		b.WriteString(line + "\n")
	}
	if rest := list.Distinct - uint64(len(list.Entries)); rest > 0 {
		fmt.Fprintf(b, "… and %s more\n", grouped(rest))
	}
}
