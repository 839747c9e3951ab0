package read

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/valueindex"
)

// literals returns the first and the last of the literals among the terms that are
// only objects, counted from 1; first is above last if there are none.
func (s *Segment) literals(ctx context.Context) (first, last uint32, err error) {
	if first, err = s.LowerBound(ctx, format.ObjectOnly, []byte(`"`)); err != nil {
		return 0, 0, err
	}
	last, err = s.LowerBound(ctx, format.ObjectOnly, []byte(`#`))
	return first, last - 1, err
}

// MadeValues makes the value index of a segment whose file has none. It reads all
// literals, and keeps the index in the cache; nil if the cache is too small.
func (s *Segment) MadeValues(ctx context.Context) (_ *valueindex.Made, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	first, last, err := s.literals(ctx)
	if err != nil || last >= first && !cache.Keeps(s.cache, valueindex.MadeBytes(uint64(last-first)+1)) {
		return nil, err
	}
	return cached(ctx, s, wholeMade, func(ctx context.Context) (*valueindex.Made, int64, error) {
		b := valueindex.NewBuilder(nil)
		terms := &TermScan{s: s, sec: format.ObjectOnly, next: first - 1}
		for id := first; id <= last; id++ {
			t, err := terms.Next(ctx)
			if err == io.EOF {
				break
			}
			if err == nil {
				err = b.Add(id, t)
			}
			if err != nil {
				return nil, 0, err
			}
		}
		m, err := valueindex.Make(ctx, b)
		if err != nil {
			return nil, 0, err
		}
		return m, m.Bytes(), nil
	})
}
