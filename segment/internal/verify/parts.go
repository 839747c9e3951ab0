package verify

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/segment/internal/format"
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
	return nil
}
