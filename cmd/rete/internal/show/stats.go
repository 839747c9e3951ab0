package show

import (
	"fmt"
	"strconv"

	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/rdf"
)

// Grouped returns n with groups of three digits: 1,234,567.
func Grouped(n uint64) string {
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
	return Grouped(n) + " " + noun
}

// Stats writes statistics as tables, one a list.
func (l *Listing) Stats(s *stats.Stats) error {
	graphs := ""
	if s.Graphs.Distinct > 0 {
		graphs = fmt.Sprintf(", %s of them in the default graph, %s", Grouped(s.Default), plural(s.Graphs.Distinct, "named graph"))
	}
	err := l.Printf("%s%s\n", plural(s.Quads, "quad"), graphs)
	list := func(name string, list stats.List) {
		if err == nil {
			err = l.list(name, list)
		}
	}
	list("class", s.Classes)
	list("predicate", s.Predicates)
	list("graph", s.Graphs)
	if t := s.Literals; t != nil && t.Distinct > 0 && err == nil {
		err = l.Printf("\n%s in %s\n", plural(t.Distinct, "literal"), plural(t.Quads, "quad"))
		list("datatype", t.Datatypes)
		list("language", t.Languages)
	}
	if s.Subjects != nil {
		list("subject", s.Subjects.List)
	}
	return err
}

// term returns a term as a cell has it; its IRI is shortened.
func (l *Listing) term(t rdf.Term) string {
	if l.names == nil {
		return t.String()
	}
	return string(l.names.AppendTerm(nil, []byte(t.Surface())))
}

// list writes a list, if it has entries, with a line for those that are left out.
func (l *Listing) list(name string, list stats.List) error {
	if len(list.Entries) == 0 {
		return nil
	}
	columns := []Column{{Name: name, Middle: true}, {Name: "quads", Right: true}}
	if list.Entries[0].Terms > 0 {
		columns = append(columns, Column{Name: "literals", Right: true})
	}
	t := NewTable(columns...)
	for _, e := range list.Entries {
		text := l.term(e.Term)
		if name == "language" {
			text = e.Term.Value()
		}
		t.Row([]any{text, Grouped(e.Quads), Grouped(e.Terms)}[:len(columns)]...)
	}
	if err := l.Printf("\n"); err != nil {
		return err
	}
	if err := l.Table(t); err != nil {
		return err
	}
	if rest := list.Distinct - uint64(len(list.Entries)); rest > 0 {
		return l.Printf("… and %s more\n", Grouped(rest))
	}
	return nil
}
