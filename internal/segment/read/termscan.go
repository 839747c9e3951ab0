package read

import (
	"context"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment/format"
)

// scanAhead is how many chunks ScanTerms asks for together.
const scanAhead = 64

// ScanTerms calls use for one chunk after the other of the terms from to last of a
// section, counted from 1: surface k of t, lo <= k < hi, is that of term first+k. use
// may not change t nor keep it.
func (s *Segment) ScanTerms(ctx context.Context, sec format.Section, from, last uint32, use func(first uint32, t *ids.Terms, lo, hi int) error) (err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	c, err := s.chunksOf(ctx, sec)
	if err != nil {
		return err
	}
	last = min(last, s.counts.Size(sec))
	for from <= last && from > 0 {
		var list []wanted
		next := from
		for len(list) < scanAhead && next <= last {
			r, err := c.Holds(ctx, next-1)
			if err != nil {
				return err
			}
			w := wanted{c, r, int(next - 1 - r.Start), int(min(r.Terms, last-r.Start))}
			list = append(list, w)
			next = r.Start + uint32(w.hi) + 1
		}
		var failed error
		err := s.each(ctx, list, func(w wanted, d *dict.Chunk) {
			if failed != nil {
				return
			}
			if failed = ctx.Err(); failed == nil {
				t := d.Terms()
				failed = use(w.ref.Start+1, &t, w.lo, w.hi)
			}
		})
		if err != nil || failed != nil {
			return firstOf(failed, err)
		}
		from = next
	}
	return nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
