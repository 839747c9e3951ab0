package rowset

import "context"

// Repeats drops rows that were there before, as long as that pays.
type Repeats struct {
	seen *Set
	rows int
}

// A set of repeats grows up to this number of rows; if after the first ones most were new,
// it is given up.
const (
	maxRepeats = 64 << 10
	tryRepeats = 8 << 10
)

// NewRepeats returns one that has seen no rows.
func NewRepeats(columns int) *Repeats { return &Repeats{seen: NewSet(columns)} }

// Drop drops the repeats from a batch.
func (s *Repeats) Drop(ctx context.Context, b *Batch) error {
	if s.seen == nil {
		return nil
	}
	if err := s.seen.Reserve(ctx, b.N); err != nil {
		return err
	}
	kept := 0
	for row := range b.N {
		if _, fresh := s.seen.Add(b.Col, row); fresh {
			b.Move(kept, row)
			kept++
		}
	}
	s.rows += b.N
	b.N = kept
	if n := s.seen.Rows.N; n > maxRepeats || s.rows > tryRepeats && 2*n > s.rows {
		s.seen = nil
	}
	return nil
}
