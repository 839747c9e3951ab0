package run

import (
	"cmp"
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// compareFrom is the least number of rows for which a run asks which ids are those of literals, so
// that comparisons read the values of no others: the answer takes a few reads of the
// dictionary.
const compareFrom = 4096

// comparison is what a run knows of comparisons.
type comparison struct {
	rows  int  // that were compared
	Known bool // whether valued is
	// valued holds the ids of all literals and triple terms, and maybe of other terms.
	valued []dataset.IDRange
}

// Learn finds the ids of literals and triple terms, once there have been many rows.
func (k *comparison) Learn(ctx context.Context, r *Run, rows int) error {
	if k.rows += rows; k.Known || k.rows < compareFrom {
		return nil
	}
	var all []dataset.IDRange
	for _, kind := range [...]dataset.ClassKind{dataset.Literals, dataset.TripleTerms} {
		list, _, err := r.Terms.Dataset().Ranges(ctx, dataset.Class{Kind: kind})
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b dataset.IDRange) int { return cmp.Compare(a.Lo, b.Lo) })
	for _, next := range all {
		if n := len(k.valued); n > 0 && next.Lo <= k.valued[n-1].Hi {
			k.valued[n-1].Hi = max(k.valued[n-1].Hi, next.Hi)
		} else {
			k.valued = append(k.valued, next)
		}
	}
	k.Known = true
	return nil
}

// Plain reports whether an id is that of a stored term that is neither a literal nor a
// triple term.
func (k *comparison) Plain(i id) bool { return !i.IsLocal() && !rowset.InRanges(k.valued, i) }
