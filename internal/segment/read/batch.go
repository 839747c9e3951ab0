package read

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/ctxsync"
)

// batch is several units that are read in one call by the first that is needed.
type batch struct {
	s      *Segment
	ranges []blob.Range
	bytes  int64
	turn   ctxsync.Mutex // held while they are read
	bufs   map[int64][]byte
	err    error
}

// add puts a unit into the batch.
func (b *batch) add(off, n int64) {
	b.ranges = append(b.ranges, blob.Range{Off: off, Len: n})
	b.bytes += n
}

// get returns the stored bytes of a unit. ctx is that of a load of the cache,
// which ends with the cache only.
func (b *batch) get(ctx context.Context, off, n int64) ([]byte, error) {
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	if buf := b.bufs[off]; buf != nil {
		return buf, nil
	}
	return b.s.bytesAt(ctx, off, n) // it was in the cache when the batch was made
}

func (b *batch) read(ctx context.Context) error {
	if err := b.turn.Lock(ctx); err != nil {
		return err
	}
	defer b.turn.Unlock()
	if b.bufs != nil {
		return b.err
	}
	b.bufs = make(map[int64][]byte, len(b.ranges))
	slab := make([]byte, b.bytes)
	bufs := make([][]byte, len(b.ranges))
	for i, r := range b.ranges {
		bufs[i], slab = slab[:r.Len:r.Len], slab[r.Len:]
		b.bufs[r.Off] = bufs[i]
	}
	b.err = b.s.obj.ReadRanges(ctx, b.ranges, bufs)
	return b.err
}

const (
	// localWindow is how many units of a local file are read ahead: enough to keep two
	// cores busy.
	localWindow = 4
	// remoteFirst and remoteMost are how many bytes of a remote file are asked for
	// together: at the beginning of a scan, whose end may not be wanted, and as it goes
	// on. They make requests large where each one waits for a network.
	remoteFirst = 512 << 10
	remoteMost  = 4 << 20
	// remoteUnits bounds the units of them, and so what becomes of them in memory.
	remoteUnits = 512
)

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
