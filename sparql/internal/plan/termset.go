package plan

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// TermSet says which terms a column of a scan may have. It is the form of those filters that a
// scan applies to ids, without looking at terms row by row; what it says in several ways holds
// together.
type TermSet struct {
	// Ranges, if not nil, are the ids of some classes of terms, ascending.
	Ranges []dataset.IDRange
	// With Reads not 0, the terms are literals with values in some intervals. Reads is how many
	// literals may be read to make an index of values.
	Values []dataset.Interval
	Reads  uint64
	// With Exprs, all of these are true for the terms: they are tested once for each term of
	// Ranges, in the order of the dictionary. Needle is what the surface of each term holds that
	// passes; "" if not known.
	Var    Var
	Exprs  []algebra.Expr
	Needle string
	// Words, if there are any, are in the text of every literal of Ranges that passes, and Ranges has literals alone
	// and is of a column of the default graph: an index of words finds them.
	Words []dataset.TextWord
}

// ByValue reports whether the set is one of values, Tested whether its terms are tested.
func (t *TermSet) ByValue() bool { return t != nil && t.Reads > 0 }
func (t *TermSet) Tested() bool  { return t != nil && len(t.Exprs) > 0 }

// Listed reports whether the ids are found before the scan begins. Else it has ranges alone.
func (t *TermSet) Listed() bool { return t.ByValue() || t.Tested() }

// Ranges returns the ranges of ids that are sought or compared in a column; nil if there are none.
// The ids that passed a test are in the ranges.
func (n *Scan) Ranges(c dataset.Col) []dataset.IDRange {
	if c == dataset.G || n.Terms[c] == nil || n.Terms[c].Tested() {
		return nil
	}
	return n.Terms[c].Ranges
}
