package textsearch

import (
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
)

// pair is a literal and a subject of it.
type pair struct{ literal, subject dataset.ID }

// mostPairs is how many pairs are held at a time.
const mostPairs = 1 << 16

// Literals calls use with the literals of some subjects in the graphs g, each with the subjects
// that have it, ascending. Of many rows the same literal may come more than once, with others of
// its subjects.
func Literals(ctx context.Context, ds dataset.Dataset, g dataset.Graphs, subjects *dataset.IDSet,
	use func(literal dataset.ID, surface []byte, subjects []dataset.ID) error) error {
	ranges, _, err := ds.Ranges(ctx, dataset.Class{Kind: dataset.Literals})
	if err != nil {
		return err
	}
	opt := &dataset.ScanOptions{Cols: dataset.S.Bit() | dataset.O.Bit()}
	opt.Within[dataset.S] = subjects
	var pairs []pair
	err = scan(ctx, ds, g, dataset.SPO, opt, func(s, o dataset.ID) error {
		if !inRanges(ranges, o) {
			return nil
		}
		if pairs = append(pairs, pair{o, s}); len(pairs) < mostPairs {
			return nil
		}
		err := decodePairs(ctx, ds, pairs, use)
		pairs = pairs[:0]
		return err
	})
	if err != nil {
		return err
	}
	return decodePairs(ctx, ds, pairs, use)
}

// inRanges reports whether an id is in one of the ranges.
func inRanges(ranges []dataset.IDRange, id dataset.ID) bool {
	i, ok := slices.BinarySearchFunc(ranges, id, func(r dataset.IDRange, id dataset.ID) int { return cmp.Compare(r.Lo, id) })
	return ok || i > 0 && id <= ranges[i-1].Hi
}

// scan calls use with the subjects and objects of rows, in an order if the data has it.
func scan(ctx context.Context, ds dataset.Dataset, g dataset.Graphs, o dataset.Order, opt *dataset.ScanOptions, use func(s, o dataset.ID) error) (err error) {
	p := dataset.Pattern{G: g}
	if orders := ds.Orders(p); !slices.Contains(orders, o) {
		o = orders[0]
	}
	c, err := ds.Scan(ctx, p, o, opt)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}()
	var b dataset.Batch
	for {
		if err := c.Next(ctx, &b); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for i := range b.N {
			if err := use(b.Col[dataset.S][i], b.Col[dataset.O][i]); err != nil {
				return err
			}
		}
	}
}

// decodePairs decodes the literals of pairs.
func decodePairs(ctx context.Context, ds dataset.Dataset, pairs []pair, use func(dataset.ID, []byte, []dataset.ID) error) error {
	err := cancel.Sort(ctx, pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.literal, b.literal), cmp.Compare(a.subject, b.subject))
	})
	if err != nil {
		return err
	}
	pairs = slices.Compact(pairs)
	const some = 4096 // literals that are decoded together
	list := make([]dataset.ID, 0, some)
	var terms ids.Terms
	var subjects []dataset.ID
	for len(pairs) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		list = list[:0]
		n := 0
		for ; n < len(pairs); n++ {
			if n > 0 && pairs[n].literal == pairs[n-1].literal {
				continue
			}
			if len(list) == some {
				break
			}
			list = append(list, pairs[n].literal)
		}
		terms.Reset()
		if err := ds.Decode(ctx, list, &terms); err != nil {
			return err
		}
		for i, id := range list {
			subjects = subjects[:0]
			for len(pairs) > 0 && pairs[0].literal == id {
				subjects = append(subjects, pairs[0].subject)
				pairs = pairs[1:]
			}
			if err := use(id, terms.At(i), subjects); err != nil {
				return err
			}
		}
	}
	return nil
}
