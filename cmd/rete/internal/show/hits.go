package show

import (
	"fmt"

	"github.com/rete-go/rete/dataset/textsearch"
)

// Hits writes what a search has found.
func (l *Listing) Hits(hits []textsearch.Hit) error {
	if len(hits) == 0 {
		return l.Printf("no hits\n")
	}
	t := NewTable(Column{Name: "score", Right: true}, Column{Name: "subject", Middle: true}, Column{Name: "literal"})
	for _, h := range hits {
		t.Row(fmt.Sprintf("%.3f", h.Score), l.term(h.Subject), l.term(h.Literal))
	}
	return l.Table(t)
}
