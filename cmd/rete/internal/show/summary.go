package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/internal/segment"
)

// Rows of the tables of a summary.
const (
	summaryRows   = 20
	communityRows = 10
)

// Summary writes a summary as tables; level is that of the classes, or negative for the last.
func (l *Listing) Summary(s *segment.Summary, level int) error {
	if level < 0 {
		level = len(s.Levels) - 1
	}
	at := segment.SummaryLevel{}
	if level >= 0 && level < len(s.Levels) {
		at = s.Levels[level]
	}
	head := fmt.Sprintf("%s in the default graph, %s", plural(s.Triples, "triple"), plural(uint64(len(s.Predicates)), "predicate"))
	if len(s.Levels) > 0 {
		head += fmt.Sprintf(", classes at level %d of 0 to %d", level, len(s.Levels)-1)
	}
	if err := l.Printf("%s\n", head); err != nil {
		return err
	}
	if len(s.OfBase) > 0 {
		if err := l.Printf("of the base segment, before later changes: %s\n", strings.Join(s.OfBase, ", ")); err != nil {
			return err
		}
	}
	for _, write := range []func() error{
		func() error { return l.classCounts(at.Classes) },
		func() error { return l.links(at.Links) },
		func() error { return l.predicates(s) },
		func() error { return l.communities(s) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// first writes a table of the first rows of a list, if there are any.
func (l *Listing) first(n, most int, columns []Column, row func(i int) []any) error {
	if n == 0 {
		return nil
	}
	t := NewTable(columns...)
	for i := range min(n, most) {
		t.Row(row(i)...)
	}
	if err := l.Printf("\n"); err != nil {
		return err
	}
	if err := l.Table(t); err != nil {
		return err
	}
	if n > most {
		return l.Printf("… and %s more\n", Grouped(uint64(n-most)))
	}
	return nil
}

func (l *Listing) classCounts(list []segment.ClassCount) error {
	columns := []Column{{Name: "class", Middle: true}, {Name: "instances", Right: true}}
	return l.first(len(list), summaryRows, columns, func(i int) []any {
		return []any{l.surface(list[i].Class), Grouped(list[i].Count)}
	})
}

func (l *Listing) links(list []segment.SummaryLink) error {
	columns := []Column{{Name: "from", Middle: true}, {Name: "predicate", Middle: true}, {Name: "to", Middle: true}, {Name: "triples", Right: true}}
	return l.first(len(list), summaryRows, columns, func(i int) []any {
		k := list[i]
		return []any{l.surface(k.From), l.surface(k.Predicate), l.surface(k.To), Grouped(k.Count)}
	})
}

func (l *Listing) predicates(s *segment.Summary) error {
	list := slices.Clone(s.Predicates)
	slices.SortStableFunc(list, func(x, y segment.SummaryPredicate) int {
		if x.Triples > y.Triples {
			return -1
		}
		if x.Triples < y.Triples {
			return 1
		}
		return 0
	})
	columns := []Column{{Name: "predicate", Middle: true}, {Name: "triples", Right: true}, {Name: "subjects", Right: true}, {Name: "objects", Right: true}}
	known := func(n uint64) string {
		if n == 0 {
			return ""
		}
		return Grouped(n)
	}
	return l.first(len(list), summaryRows, columns, func(i int) []any {
		p := list[i]
		return []any{l.surface(p.Name), Grouped(p.Triples), known(p.Subjects), known(p.Objects)}
	})
}

func (l *Listing) communities(s *segment.Summary) error {
	columns := []Column{{Name: "community", Right: true}, {Name: "triples", Right: true}, {Name: "classes", Middle: true}}
	list := s.Communities
	return l.first(len(list), communityRows, columns, func(i int) []any {
		var classes []string
		for _, c := range list[i].Classes[:min(len(list[i].Classes), 3)] {
			classes = append(classes, l.surface(c.Class)+" "+Grouped(c.Count))
		}
		return []any{list[i].Number, Grouped(list[i].Triples), strings.Join(classes, ", ")}
	})
}

// surface returns a surface as a cell has it; its IRI is shortened.
func (l *Listing) surface(s string) string {
	if l.names == nil || !strings.HasPrefix(s, "<") {
		return s
	}
	return string(l.names.AppendTerm(nil, []byte(s)))
}
