package read

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
	"lukechampine.com/blake3"
)

// Values is the value index of a segment: the ids of the literals that have a value,
// class by class, in the order of their keys. Ids are local to [format.ObjectOnly]; places
// count from 0. It may be used by several goroutines.
type Values struct {
	s    *Segment
	root *valueindex.Root
}

// Values opens the value index. It returns nil if the file has none under its pin:
// then nothing is known of values. Otherwise every literal that has a value is in it.
func (s *Segment) Values(ctx context.Context) (_ *Values, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	section := s.head.Section(format.KindValues)
	if s.root == nil || section.Length == 0 {
		return nil, nil
	}
	root, err := cached(ctx, s, wholeValues, func(ctx context.Context) (*valueindex.Root, int64, error) {
		if section.Length > valueindex.MaxRoot(uint64(s.counts.Objects)) {
			return nil, 0, format.HeaderErr(64, "%v of %d bytes", section.Kind, section.Length)
		}
		b, err := s.bytesAt(ctx, int64(section.Offset), int64(section.Length))
		if err != nil {
			return nil, 0, err
		}
		if sum := blake3.Sum256(b); sum != s.digests[format.KindValues] {
			return nil, 0, &damage.Error{Part: section.Kind.String(), Offset: int64(section.Offset),
				Detail: fmt.Sprintf("its BLAKE3 is %x, the digest list says %x", sum[:16], s.digests[format.KindValues])}
		}
		r, err := valueindex.ParseRoot(b, s.head.Section(format.KindValuePages).Length)
		return r, int64(2 * len(b)), err
	})
	if err != nil || root == nil {
		return nil, err
	}
	return &Values{s, root}, nil
}

// Len returns how many literals of a class there are.
func (v *Values) Len(c valuekey.Class) uint64 { return v.root.Entries[c] }

// Find returns the places of a stretch that has every literal with a key in the
// interval, and fewer than 128 others. It opens two pages at most.
func (v *Values) Find(ctx context.Context, i valuekey.Interval) (from, to uint64, err error) {
	if err = v.s.over(); err != nil {
		return
	}
	defer v.s.late(&err)
	lo, hi := v.root.Find(i)
	if lo == hi {
		return 0, 0, nil
	}
	first, err := v.page(ctx, i.Class, lo)
	if err != nil {
		return 0, 0, err
	}
	last := first
	if hi-1 != lo {
		if last, err = v.page(ctx, i.Class, hi-1); err != nil {
			return 0, 0, err
		}
	}
	a, _ := first.Find(i.Lo, i.Hi)
	_, b := last.Find(i.Lo, i.Hi)
	from, to = uint64(lo)*valueindex.PageEntries+uint64(a), uint64(hi-1)*valueindex.PageEntries+uint64(b)
	return from, max(from, to), nil
}

// Key returns the key of a place at or before place: that of its block.
func (v *Values) Key(ctx context.Context, c valuekey.Class, place uint64) (_ valuekey.Key, err error) {
	if err = v.s.over(); err != nil {
		return
	}
	defer v.s.late(&err)
	p, err := v.page(ctx, c, int(place/valueindex.PageEntries))
	if err != nil {
		return 0, err
	}
	return p.Keys[place%valueindex.PageEntries/valueindex.Block], nil
}

// IDs calls use with the ids of the places from (included) to (excluded), some at a
// time; use must not change or keep them.
func (v *Values) IDs(ctx context.Context, c valuekey.Class, from, to uint64, use func([]uint32)) (err error) {
	if err = v.s.over(); err != nil {
		return
	}
	defer v.s.late(&err)
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := v.page(ctx, c, int(from/valueindex.PageEntries))
		if err != nil {
			return err
		}
		at := int(from % valueindex.PageEntries)
		n := min(uint64(len(p.IDs)-at), to-from)
		use(p.IDs[at : at+int(n)])
		from += n
	}
	return nil
}

// page returns a page of a class, checked.
func (v *Values) page(ctx context.Context, c valuekey.Class, k int) (*valueindex.List, error) {
	if k >= len(v.root.Pages[c]) {
		return nil, v.s.named(damage.New("value index", "no page %d of the class %v", k, c))
	}
	p := &v.root.Pages[c][k]
	return cached(ctx, v.s, unitValues|p.Off, func(ctx context.Context) (*valueindex.List, int64, error) {
		s := v.s
		off := int64(s.head.Section(format.KindValuePages).Offset + p.Off)
		l, err := func() (*valueindex.List, error) {
			stored, err := s.bytesAt(ctx, off, int64(p.Len))
			if err != nil {
				return nil, err
			}
			if err := s.check(stored, format.Sums{Xx: p.XX, B3: p.B3}); err != nil {
				return nil, s.unitErr(err, off, "page of the value index")
			}
			raw, err := codec.Decompress(codec.Codec(s.head.DictCodec), nil, stored, int(p.RawLen))
			if err != nil {
				return nil, s.unitErr(err, off, "page of the value index")
			}
			l, err := valueindex.ParsePage(raw, p.Entries, p.First, s.counts.Objects)
			if err != nil {
				return nil, s.unitErr(err, off, "page of the value index")
			}
			return l, nil
		}()
		if err != nil {
			return nil, 0, err
		}
		return l, l.Bytes(), nil
	})
}
