package blobtest

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
)

// Counter is an [blob.Object] that counts what is asked of another.
type Counter struct {
	blob.Object
	calls, ranges, bytes atomic.Int64
}

// Counting wraps an object with counters: what tests of laziness assert.
func Counting(o blob.Object) *Counter { return &Counter{Object: o} }

// Calls is the number of ReadRanges calls so far.
func (c *Counter) Calls() int64 { return c.calls.Load() }

// Ranges is the number of ranges that these calls asked for.
func (c *Counter) Ranges() int64 { return c.ranges.Load() }

// BytesRead is the number of bytes that these ranges have.
func (c *Counter) BytesRead() int64 { return c.bytes.Load() }

// ReadRanges counts and passes on.
func (c *Counter) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	c.calls.Add(1)
	c.ranges.Add(int64(len(rs)))
	for _, r := range rs {
		c.bytes.Add(r.Len)
	}
	return c.Object.ReadRanges(ctx, slices.Clip(rs), bufs)
}
