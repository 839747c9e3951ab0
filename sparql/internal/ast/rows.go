package ast

import (
	"iter"

	"github.com/rete-go/rete/rdf"
)

// Rows are the rows of a table, in one list: a table may have millions. The zero Rows has
// no row and no column.
type Rows struct {
	Width int // the terms of a row
	N     int // the rows
	Terms []rdf.Term
}

// Add appends a row.
func (r *Rows) Add(row ...rdf.Term) {
	r.Terms = append(r.Terms, row...)
	r.N++
}

// Row returns the i-th row, which is a part of Terms.
func (r *Rows) Row(i int) []rdf.Term { return r.Terms[i*r.Width : (i+1)*r.Width : (i+1)*r.Width] }

// All returns the rows in order.
func (r *Rows) All() iter.Seq[[]rdf.Term] {
	return func(yield func([]rdf.Term) bool) {
		for i := range r.N {
			if !yield(r.Row(i)) {
				return
			}
		}
	}
}
