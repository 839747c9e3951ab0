package view

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/segment"
)

// termScanner is a layer that hands out its dictionary a stretch at a time: the terms
// from to last of a section, counted from 1.
type termScanner interface {
	scanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error
}

// scanTerms implements [termScanner].
func (s *segmentLayer) scanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error {
	return s.seg.ScanTerms(ctx, segment.Section(sec), from, last, use)
}

// scanTerms implements [termScanner]: with the canonical surfaces.
func (l *respelledLayer) scanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error {
	return decodeTerms(ctx, &layer{Layer: l}, sec, from, last, use)
}

// decodedTerms is how many terms are decoded at a time where a layer has no stretches.
const decodedTerms = 1024

func decodeTerms(ctx context.Context, l *layer, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error {
	local := make([]uint32, 0, decodedTerms)
	for from <= last {
		if err := ctx.Err(); err != nil {
			return err
		}
		local = local[:0]
		for k := from; k <= last && len(local) < decodedTerms; k++ {
			local = append(local, k)
		}
		var t ids.Terms
		if err := l.surfaces(ctx, sec, local, &t); err != nil {
			return err
		}
		if err := use(from, &t, 0, t.Len()); err != nil {
			return err
		}
		from += uint32(len(local))
	}
	return nil
}

// ScanTerms is [View.ScanTerms].
func (v *view) ScanTerms(ctx context.Context, r IDRange, use func(first ID, t *dataset.Terms, lo, hi int) error) error {
	l := v.owner(r.Lo)
	if l == nil || v.owner(r.Hi) != l || r.Hi < r.Lo {
		return fmt.Errorf("engine: %d to %d are no ids of one layer", r.Lo, r.Hi)
	}
	for id := r.Lo; id <= r.Hi; {
		sec, from := l.counts.section(uint64(id & localMask))
		if sec == noSection {
			return fmt.Errorf("engine: %s has no term %d", l.Name(), id&localMask)
		}
		last := uint32(min(uint64(l.counts.size(sec)), uint64(from)+uint64(r.Hi-id)))
		base := id - ID(from)
		local := func(first uint32, t *dataset.Terms, lo, hi int) error { return use(base+ID(first), t, lo, hi) }
		var err error
		if s, ok := l.Layer.(termScanner); ok && sec != graphSection {
			err = s.scanTerms(ctx, sec, from, last, local)
		} else {
			err = decodeTerms(ctx, l, sec, from, last, local)
		}
		if err != nil {
			return err
		}
		id += ID(last-from) + 1
	}
	return nil
}
