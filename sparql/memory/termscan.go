package memory

import (
	"context"

	"github.com/rete-go/rete/dataset"
)

var _ dataset.TermScan = (*store)(nil)

// scanned is how many terms a stretch of ScanTerms has.
const scanned = 256

// ScanTerms implements [dataset.TermScan].
func (d *store) ScanTerms(ctx context.Context, r dataset.IDRange, use func(first id, t *dataset.Terms, lo, hi int) error) error {
	for first := r.Lo; first <= r.Hi; first += scanned {
		if err := ctx.Err(); err != nil {
			return err
		}
		var t dataset.Terms
		for i := first; i <= r.Hi && i < first+scanned; i++ {
			s, err := d.at(i)
			if err != nil {
				return err
			}
			t.Append([]byte(s))
		}
		if err := use(first, &t, 0, t.Len()); err != nil {
			return err
		}
	}
	return nil
}
