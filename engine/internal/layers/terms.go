package layers

import (
	"context"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
)

// TermScanner is a layer that hands out its dictionary a stretch at a time: the terms
// from to last of a section, counted from 1.
type TermScanner interface {
	ScanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error
}

// ScanTerms implements [termScanner].
func (s *Segment) ScanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error {
	return s.Seg.ScanTerms(ctx, segment.Section(sec), from, last, use)
}

// ScanTerms implements [termScanner]: with the canonical surfaces.
func (l *Respelled) ScanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error {
	return DecodeTerms(ctx, l, sec, from, last, use)
}

// decodedTerms is how many terms are decoded at a time where a layer has no stretches.
const decodedTerms = 1024

func DecodeTerms(ctx context.Context, l Layer, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) error {
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
		if err := Surfaces(ctx, l, sec, local, &t); err != nil {
			return err
		}
		if err := use(from, &t, 0, t.Len()); err != nil {
			return err
		}
		from += uint32(len(local))
	}
	return nil
}

// Surfaces is Decode for one section of a layer, graph names included.
func Surfaces(ctx context.Context, l Layer, sec Section, local []uint32, out *dataset.Terms) error {
	switch sec {
	case NoSection:
		return fmt.Errorf("engine: %s has no such term", l.Name())
	case GraphSection:
		names, err := l.GraphNames(ctx)
		if err != nil {
			return err
		}
		for _, g := range local {
			out.Append(names[g-1])
		}
		return nil
	}
	return l.Decode(ctx, sec, local, out)
}
