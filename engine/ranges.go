package engine

import (
	"bytes"
	"context"
	"fmt"
	"sort"
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

// surfaces returns the stretches of the surface order that a class is.
func (c Class) surfaces() ([]surfaceRange, error) {
	switch {
	case c.Kind == KindIRI && c.Prefix == "": // all that begin with '<', but not with "<<"
		return []surfaceRange{{[]byte("<"), []byte("<<")}, {[]byte("<="), []byte("=")}}, nil
	case c.Kind == KindIRI:
		if c.Prefix[0] == '<' {
			return nil, nil // no IRI begins so
		}
		return []surfaceRange{prefixRange("<" + c.Prefix)}, nil
	case c.Kind == KindLiteral:
		return []surfaceRange{prefixRange(`"` + c.Prefix)}, nil
	case c.Kind == KindBlank && c.Prefix == "":
		return []surfaceRange{prefixRange("_:")}, nil
	case c.Kind == KindTriple && c.Prefix == "":
		return []surfaceRange{prefixRange("<<")}, nil
	}
	return nil, fmt.Errorf("engine: no ranges for kind %d with prefix %q", c.Kind, c.Prefix)
}

// Ranges returns ascending, disjoint intervals that hold every id of the terms of
// a class: a few for each layer. If exact is false, they hold ids of other terms
// too: a segment's whose terms are not spelled canonically, where there is a prefix,
// and those of a long journal. Each bound opens one dictionary chunk at most.
func (v *View) Ranges(ctx context.Context, c Class) (list []IDRange, exact bool, err error) {
	exact = true
	for _, l := range v.adds {
		of := c
		if _, ok := l.Layer.(*respelledLayer); ok && c.Prefix != "" {
			of.Prefix, exact = "", false // the file's order is that of the stored spellings
		}
		stretches, err := of.surfaces()
		if err != nil {
			return nil, false, err
		}
		if t, ok := l.Layer.(*topTerms); ok { // in no order
			var all bool
			list, all = t.ranges(l, stretches, list)
			exact = exact && !all
			continue
		}
		base := uint64(0)
		for sec := Shared; sec <= graphSection; sec++ {
			size := uint64(l.counts.size(sec))
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
					list = appendRange(list, IDRange{l.id(base + uint64(lo)), l.id(base + uint64(hi) - 1)})
				}
			}
			base += size
		}
	}
	if len(v.adds) == 0 {
		_, err = c.surfaces()
	}
	return list, exact, err
}

// topRanged is how many terms of the journal are looked at for ranges at most.
const topRanged = 1 << 14

// ranges appends the ids of the terms in some stretches of the surface order. If the
// terms are too many to look at, these are all ids.
func (t *topTerms) ranges(l *layer, stretches []surfaceRange, list []IDRange) (out []IDRange, all bool) {
	n := uint64(len(t.terms))
	if n > topRanged {
		return appendRange(list, IDRange{l.id(1), l.id(n)}), true
	}
	for i, term := range t.terms {
		for _, s := range stretches {
			if term >= string(s.lo) && (len(s.hi) == 0 || term < string(s.hi)) {
				id := l.id(uint64(i) + 1)
				list = appendRange(list, IDRange{id, id})
				break
			}
		}
	}
	return list, false
}

// appendRange appends a range, joined with the last one if they touch.
func appendRange(list []IDRange, r IDRange) []IDRange {
	if n := len(list); n > 0 && list[n-1].Hi+1 == r.Lo {
		list[n-1].Hi = r.Hi
		return list
	}
	return append(list, r)
}

// lowerBound is Layer.LowerBound, for the graph names too.
func (l *layer) lowerBound(ctx context.Context, sec Section, surface []byte) (uint32, error) {
	if sec != graphSection {
		return l.LowerBound(ctx, sec, surface)
	}
	names, err := l.GraphNames(ctx)
	i := sort.Search(len(names), func(i int) bool { return bytes.Compare(names[i], surface) >= 0 })
	return uint32(i) + 1, err
}
