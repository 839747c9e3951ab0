package idspace

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
)

// ScanTerms implements [dataset.TermScan].
func (v *IDs) ScanTerms(ctx context.Context, r dataset.IDRange, use func(first dataset.ID, t *dataset.Terms, lo, hi int) error) error {
	l := v.Owner(r.Lo)
	if l == nil || v.Owner(r.Hi) != l || r.Hi < r.Lo {
		return fmt.Errorf("engine: %d to %d are no ids of one layer", r.Lo, r.Hi)
	}
	for id := r.Lo; id <= r.Hi; {
		sec, from := l.Sizes.Section(uint64(id & LocalMask))
		if sec == layers.NoSection {
			return fmt.Errorf("engine: %s has no term %d", l.Name(), id&LocalMask)
		}
		last := uint32(min(uint64(l.Sizes.Size(sec)), uint64(from)+uint64(r.Hi-id)))
		base := id - dataset.ID(from)
		local := func(first uint32, t *dataset.Terms, lo, hi int) error { return use(base+dataset.ID(first), t, lo, hi) }
		var err error
		if s, ok := l.Layer.(layers.TermScanner); ok && sec != layers.GraphSection {
			err = s.ScanTerms(ctx, sec, from, last, local)
		} else {
			err = layers.DecodeTerms(ctx, l, sec, from, last, local)
		}
		if err != nil {
			return err
		}
		id += dataset.ID(last-from) + 1
	}
	return nil
}
