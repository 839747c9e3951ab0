package rangecache

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/ctxsync"
)

// object is a remote object of which ranges are kept.
type object struct {
	cache *Cache
	key   string
	name  string
	size  int64
	open  func(ctx context.Context) (blob.Object, error)

	turn ctxsync.Mutex // held while the object is opened
	far  blob.Object   // guarded by turn
	end  atomic.Bool
}

// Object returns an object of which ranges are kept under key, which says what its bytes
// are: equal keys, equal bytes. It is opened when a range is wanted that is not kept; one
// that has another size then is [blob.ErrChanged].
func (c *Cache) Object(key, name string, size int64, open func(ctx context.Context) (blob.Object, error)) blob.Object {
	return &object{cache: c, key: key, name: name, size: size, open: open}
}

func (o *object) Name() string      { return o.name }
func (o *object) Size() int64       { return o.size }
func (o *object) Validator() string { return "" }

// Unguarded asks the object itself, which is opened for that.
func (o *object) Unguarded(ctx context.Context) (bool, error) {
	far, err := o.opened(ctx)
	if err != nil {
		return false, err
	}
	if file, ok := far.(interface {
		Unguarded(ctx context.Context) (bool, error)
	}); ok {
		return file.Unguarded(ctx)
	}
	return false, nil
}

// Close closes the object if it was opened.
func (o *object) Close() error {
	o.end.Store(true)
	if err := o.turn.Lock(context.Background()); err != nil {
		return err
	}
	defer o.turn.Unlock()
	if o.far == nil {
		return nil
	}
	return o.far.Close()
}

// ReadRanges implements [blob.Object].
func (o *object) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	if o.end.Load() {
		return fmt.Errorf("%s: read: %w", o.name, closed.Err)
	}
	if len(rs) != len(bufs) {
		return fmt.Errorf("%s: %d ranges for %d buffers", o.name, len(rs), len(bufs))
	}
	var missing []int
	for i, r := range rs {
		if r.Len != int64(len(bufs[i])) || !o.cache.get(o.key, r.Off, bufs[i]) {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return context.Cause(ctx)
	}
	far, err := o.opened(ctx)
	if err != nil {
		return err
	}
	ranges, into := make([]blob.Range, len(missing)), make([][]byte, len(missing))
	for k, i := range missing {
		ranges[k], into[k] = rs[i], bufs[i]
	}
	if err := far.ReadRanges(ctx, ranges, into); err != nil {
		return err
	}
	for k, r := range ranges {
		o.cache.put(o.key, r.Off, into[k])
	}
	return nil
}

// Past returns the object without what is kept, for reading that is nothing to keep. Closing it
// does nothing.
func (o *object) Past() blob.Object { return past{o} }

type past struct{ *object }

func (p past) Close() error { return nil }

// ReadRanges implements [blob.Object].
func (p past) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	far, err := p.opened(ctx)
	if err != nil {
		return err
	}
	return far.ReadRanges(ctx, rs, bufs)
}

// Discard drops what is kept of the object: its bytes were found not to be what they must be.
func (o *object) Discard() { o.cache.Drop(o.key) }

// opened returns the object itself.
func (o *object) opened(ctx context.Context) (blob.Object, error) {
	if err := o.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer o.turn.Unlock()
	if o.far != nil {
		return o.far, nil
	}
	far, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	if far.Size() != o.size {
		far.Close()
		return nil, fmt.Errorf("%s: %w: it has %d bytes, not %d", o.name, blob.ErrChanged, far.Size(), o.size)
	}
	o.far = far
	return far, nil
}
