package show

import (
	"fmt"

	"github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/rdf"
)

// How many entries of its lists a card shows.
const (
	cardNamespaces = 10
	cardPredicates = 5
)

// Card writes a card, with its queries.
func (l *Listing) Card(c *card.Card) error {
	t := NewTable(Column{}, Column{})
	CardRows(t, c)
	for _, kind := range []struct {
		name string
		list []string
	}{{"label", c.Labels}, {"time", c.Times}, {"position", c.Places}} {
		for _, p := range kind.list[:min(len(kind.list), cardPredicates)] {
			t.Row(kind.name, l.term(rdf.IRI(p)))
		}
	}
	if err := l.Table(t); err != nil {
		return err
	}
	for _, q := range c.Queries {
		if err := l.Printf("\n# %s (%s)\n%s\n", q.Title, plural(uint64(q.Rows), "row"), q.Text); err != nil {
			return err
		}
	}
	return nil
}

// CardRows adds to a table of two columns what a card says without queries.
func CardRows(t *Table, c *card.Card) {
	aboutRows(t, &c.About)
	t.Row("triples", Grouped(c.Triples))
	if c.Graphs > 0 {
		t.Row("named graphs", fmt.Sprintf("%s with %s", Grouped(uint64(c.Graphs)), plural(c.Quads-c.Triples, "quad")))
	}
	t.Row("predicates", Grouped(uint64(c.Predicates)))
	classes := Grouped(uint64(c.Classes))
	if c.MoreClasses {
		classes += " or more"
	}
	t.Row("classes", classes)
	for _, ns := range c.Vocabulary[:min(len(c.Vocabulary), cardNamespaces)] {
		t.Row("vocabulary", fmt.Sprintf("%s in %s", ns.IRI, plural(ns.Triples, "triple")))
	}
}

// aboutRows adds to a table of two columns what somebody has said of a dataset.
func aboutRows(t *Table, a *card.About) {
	for _, line := range [][2]string{{"title", a.Title}, {"description", a.Description}, {"licence", a.License}, {"source", a.Source}} {
		if line[1] != "" {
			t.Row(line[0], line[1])
		}
	}
	for _, name := range a.Creators {
		t.Row("creator", name)
	}
	for _, line := range [][2]string{{"published", a.Published}, {"version", a.Version}} {
		if line[1] != "" {
			t.Row(line[0], line[1])
		}
	}
	for _, word := range a.Keywords {
		t.Row("keyword", word)
	}
}
