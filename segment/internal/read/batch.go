package read

import (
	"context"
	"sync"

	"github.com/rete-go/rete/blob"
)

// batch is several units that are read in one request by whoever needs one of
// them first.
type batch struct {
	s      *Segment
	ranges []blob.Range
	once   sync.Once
	bufs   map[int64][]byte
	err    error
}

// add puts a unit into the batch unless it is in the cache or in the tail of the
// file that Open read.
func (b *batch) add(unit uint64, off, n int64) {
	if _, ok := b.s.cache.Peek(b.s.key(unit)); !ok {
		b.ranges = append(b.ranges, blob.Range{Off: off, Len: n})
	}
}

// get returns the stored bytes of a unit. ctx is that of a load of the cache,
// which ends with the cache only.
func (b *batch) get(ctx context.Context, off, n int64) ([]byte, error) {
	b.once.Do(func() {
		b.bufs = make(map[int64][]byte, len(b.ranges))
		total := int64(0)
		for _, r := range b.ranges {
			total += r.Len
		}
		slab := make([]byte, total)
		bufs := make([][]byte, len(b.ranges))
		for i, r := range b.ranges {
			bufs[i], slab = slab[:r.Len:r.Len], slab[r.Len:]
			b.bufs[r.Off] = bufs[i]
		}
		b.err = b.s.obj.ReadRanges(ctx, b.ranges, bufs)
	})
	if b.err != nil {
		return nil, b.err
	}
	if buf := b.bufs[off]; buf != nil {
		return buf, nil
	}
	return b.s.bytesAt(ctx, off, n) // it was in the cache when the batch was made
}

// window is how many units are fetched ahead: enough to keep two cores busy and,
// where each request waits for a network, to make requests large.
func (s *Segment) window() int {
	if s.remote {
		return 16
	}
	return 4
}

// future is a unit on its way.
type future[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// wait returns the unit, or an error when ctx ends first.
func (f *future[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// later starts a load whose result is asked for later, or never. Close waits
// for it.
func later[T any](s *Segment, load func(ctx context.Context) (T, error)) *future[T] {
	f := &future[T]{done: make(chan struct{})}
	s.mu.Lock()
	if s.closed.Load() {
		s.mu.Unlock()
		f.err = s.over()
		close(f.done)
		return f
	}
	s.ahead.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.ahead.Done()
		defer close(f.done)
		f.value, f.err = load(s.ctx)
	}()
	return f
}

// now is a future that has come.
func now[T any](v T) *future[T] {
	return &future[T]{done: come, value: v}
}

// come is closed.
var come = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()
