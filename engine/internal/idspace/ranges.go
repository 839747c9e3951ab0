package idspace

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/rdf"
)

// surfaceRange is the surfaces from lo (included) to hi (excluded).
type surfaceRange struct{ lo, hi []byte }

// prefixRange returns the surfaces that begin with a prefix that is not empty.
func prefixRange(prefix string) surfaceRange {
	hi := []byte(prefix)
	for len(hi) > 0 && hi[len(hi)-1] == 0xff {
		hi = hi[:len(hi)-1]
	}
	if len(hi) > 0 {
		hi[len(hi)-1]++
	}
	return surfaceRange{[]byte(prefix), hi}
}

// surfacesOf returns the stretches of the surface order that a class is. whole says that
// they are those of all terms of its kind.
func surfacesOf(c dataset.Class) (list []surfaceRange, whole bool, err error) {
	switch {
	case c.Kind == dataset.IRIs, c.Kind == dataset.IRIPrefix && c.Prefix == "":
		// all that begin with '<', but not with "<<"
		return []surfaceRange{{[]byte("<"), []byte("<<")}, {[]byte("<="), []byte("=")}}, true, nil
	case c.Kind == dataset.IRIPrefix && c.Prefix[0] == '<': // no IRI begins so
		return nil, false, nil
	case c.Kind == dataset.IRIPrefix:
		return []surfaceRange{prefixRange("<" + c.Prefix)}, false, nil
	case c.Kind == dataset.Literals, c.Kind == dataset.LiteralText && c.Prefix == "":
		return []surfaceRange{prefixRange(`"`)}, true, nil
	case c.Kind == dataset.LiteralText:
		surface := rdf.String(c.Prefix).Surface()
		return []surfaceRange{prefixRange(surface[:len(surface)-1])}, false, nil
	case c.Kind == dataset.BlankNodes:
		return []surfaceRange{prefixRange("_:")}, true, nil
	case c.Kind == dataset.TripleTerms:
		return []surfaceRange{prefixRange("<<")}, true, nil
	}
	return nil, false, fmt.Errorf("engine: no ranges of ids for class %d", c.Kind)
}

// allOf is the class of all terms that are of the kind of a class of texts.
func allOf(c dataset.Class) dataset.Class {
	if c.Kind == dataset.IRIPrefix {
		return dataset.Class{Kind: dataset.IRIs}
	}
	return dataset.Class{Kind: dataset.Literals}
}

// Ranges implements [dataset.Dataset].
func (v *IDs) Ranges(ctx context.Context, c dataset.Class) (list []dataset.IDRange, exact bool, err error) {
	if c.Kind == dataset.NumericRange || c.Kind == dataset.TemporalRange {
		list, err = v.valueRanges(ctx, c)
		return list, false, err
	}
	wanted, whole, err := surfacesOf(c)
	if err != nil {
		return nil, false, err
	}
	exact = true
	for _, l := range v.Adds {
		stretches := wanted
		if _, ok := l.Layer.(*layers.Respelled); ok && !whole {
			exact = false // the file's order is that of the stored spellings
			if stretches, _, err = surfacesOf(allOf(c)); err != nil {
				return nil, false, err
			}
		}
		if t, ok := l.Layer.(*layers.JournalTerms); ok { // in no order
			var all bool
			list, all = journalRanges(t, l, stretches, list)
			exact = exact && !all
			continue
		}
		base := uint64(0)
		for sec := layers.Shared; sec <= layers.GraphSection; sec++ {
			size := uint64(l.Sizes.Size(sec))
			for _, s := range stretches {
				if size == 0 {
					break
				}
				lo, err := l.lowerBound(ctx, sec, s.lo)
				if err != nil {
					return nil, false, err
				}
				hi, err := l.lowerBound(ctx, sec, s.hi)
				if err != nil {
					return nil, false, err
				}
				if lo < hi {
					list = appendRange(list, dataset.IDRange{Lo: l.ID(base + uint64(lo)), Hi: l.ID(base + uint64(hi) - 1)})
				}
			}
			base += size
		}
	}
	return list, exact, nil
}

// valueRanges returns the ids of literals by value.
func (v *IDs) valueRanges(ctx context.Context, c dataset.Class) (list []dataset.IDRange, err error) {
	i, ok := c.Interval()
	if !ok {
		return nil, fmt.Errorf("engine: no values from %q to %q", c.From, c.To)
	}
	set, err := v.ValueIDs(ctx, i, math.MaxUint64)
	if err != nil {
		return nil, err
	}
	for _, id := range set.Append(nil) {
		list = appendRange(list, dataset.IDRange{Lo: id, Hi: id})
	}
	return list, nil
}

// topRanged is how many terms of the journal are looked at for ranges at most.
const topRanged = 1 << 14

// journalRanges appends the ids of the terms in some stretches of the surface order. If the
// terms are too many to look at, these are all ids.
func journalRanges(t *layers.JournalTerms, l *Layer, stretches []surfaceRange, list []dataset.IDRange) (out []dataset.IDRange, all bool) {
	n := uint64(len(t.Terms))
	if n > topRanged {
		return appendRange(list, dataset.IDRange{Lo: l.ID(1), Hi: l.ID(n)}), true
	}
	for i, term := range t.Terms {
		for _, s := range stretches {
			if term >= string(s.lo) && (len(s.hi) == 0 || term < string(s.hi)) {
				id := l.ID(uint64(i) + 1)
				list = appendRange(list, dataset.IDRange{Lo: id, Hi: id})
				break
			}
		}
	}
	return list, false
}

// appendRange appends a range, joined with the last one if they touch.
func appendRange(list []dataset.IDRange, r dataset.IDRange) []dataset.IDRange {
	if n := len(list); n > 0 && list[n-1].Hi+1 == r.Lo {
		list[n-1].Hi = r.Hi
		return list
	}
	return append(list, r)
}

// lowerBound is Layer.LowerBound, for the graph names too.
func (l *Layer) lowerBound(ctx context.Context, sec layers.Section, surface []byte) (uint32, error) {
	if sec != layers.GraphSection {
		return l.LowerBound(ctx, sec, surface)
	}
	names, err := l.GraphNames(ctx)
	i := sort.Search(len(names), func(i int) bool { return bytes.Compare(names[i], surface) >= 0 })
	return uint32(i) + 1, err
}
