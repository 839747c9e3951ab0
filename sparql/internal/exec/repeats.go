package exec

import "context"

// repeats drops rows that were there before, as long as that pays.
type repeats struct {
	seen *rowSet
	rows int
}

// A set of repeats grows up to so many rows; if after the first ones most were new,
// it is given up.
const (
	maxRepeats = 64 << 10
	tryRepeats = 8 << 10
)

func newRepeats(columns int) *repeats { return &repeats{seen: newRowSet(columns)} }

// drop drops the repeats from a batch.
func (s *repeats) drop(ctx context.Context, b *Batch) error {
	if s.seen == nil {
		return nil
	}
	if err := s.seen.reserve(ctx, b.N); err != nil {
		return err
	}
	kept := 0
	for row := range b.N {
		if _, fresh := s.seen.add(b.Col, row); fresh {
			b.move(kept, row)
			kept++
		}
	}
	s.rows += b.N
	b.N = kept
	if n := s.seen.rows.n; n > maxRepeats || s.rows > tryRepeats && 2*n > s.rows {
		s.seen = nil
	}
	return nil
}
