package verify

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/pyramid"
	"github.com/rete-go/rete/tile"
)

// partBlock is how much of an optional part is read at once.
const partBlock = 256 * format.PartPage

// parts reads the optional parts, which compares their pages with their digests.
func (v *verifier) parts(ctx context.Context) error {
	for _, k := range format.Parts {
		size := int64(v.s.Header().Section(k).Length)
		for off := int64(0); off < size; off += partBlock {
			if _, err := v.s.ReadPart(ctx, k, blob.Range{Off: off, Len: min(partBlock, size-off)}); err != nil {
				return err
			}
		}
	}
	return v.pyramid(ctx)
}

// pyramid compares what the pyramid counts of predicates with the index. Other programs count
// triples that were given twice, so this is for files with a map.
func (v *verifier) pyramid(ctx context.Context) error {
	b, schema, err := v.s.Summary(ctx)
	if err != nil {
		return err
	}
	preds := v.s.Counts().Predicates
	p, err := pyramid.Join(b, schema, preds)
	if p == nil || err != nil || !v.s.Mapped() {
		return err
	}
	counts := make([]uint64, preds+1)
	for _, e := range p.Edges {
		counts[e.Predicate] += e.Count
	}
	for id := uint32(1); id <= preds; id++ {
		n, err := v.p.Count(ctx, 0, tile.POS, id)
		if err != nil {
			return err
		}
		if n != counts[id] {
			return damage.New(format.KindPyramid.String(), "it counts %d triples of predicate %d, there are %d", counts[id], id, n)
		}
	}
	return nil
}
