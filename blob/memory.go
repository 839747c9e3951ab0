package blob

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
)

// Bytes returns an object over b in memory. b must not change while the object
// is used.
func Bytes(name string, b []byte) Object { return &memory{name: name, b: b} }

type memory struct {
	name string
	b    []byte
	end  atomic.Bool
}

func (m *memory) Name() string      { return m.name }
func (m *memory) Size() int64       { return int64(len(m.b)) }
func (m *memory) Validator() string { return "" }

func (m *memory) Close() error {
	m.end.Store(true)
	return nil
}

func (m *memory) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	if m.end.Load() {
		return fmt.Errorf("%s: read: %w", m.name, errClosed)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := checkRanges(m.name, m.Size(), rs, bufs); err != nil {
		return err
	}
	for i, r := range rs {
		copy(bufs[i], m.b[r.Off:])
	}
	return nil
}

// Counter is an [Object] that counts what is asked of another.
type Counter struct {
	Object
	calls, ranges, bytes atomic.Int64
}

// Counting wraps an object with counters: what tests of laziness assert.
func Counting(o Object) *Counter { return &Counter{Object: o} }

// Calls is the number of ReadRanges calls so far.
func (c *Counter) Calls() int64 { return c.calls.Load() }

// Ranges is the number of ranges that these calls asked for.
func (c *Counter) Ranges() int64 { return c.ranges.Load() }

// BytesRead is the number of bytes that these ranges have.
func (c *Counter) BytesRead() int64 { return c.bytes.Load() }

// ReadRanges counts and passes on.
func (c *Counter) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	c.calls.Add(1)
	c.ranges.Add(int64(len(rs)))
	for _, r := range rs {
		c.bytes.Add(r.Len)
	}
	return c.Object.ReadRanges(ctx, slices.Clip(rs), bufs)
}
