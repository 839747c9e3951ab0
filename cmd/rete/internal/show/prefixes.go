package show

import "github.com/rete-go/rete/internal/syntax/prefixes"

// Prefixes writes declarations as SPARQL and Turtle have them, one a line.
func (l *Listing) Prefixes(set prefixes.Set) error {
	t := NewTable(Column{Middle: true})
	for _, name := range set.Names() {
		t.Row("PREFIX " + name + ": <" + set[name] + ">")
	}
	return l.Table(t)
}
