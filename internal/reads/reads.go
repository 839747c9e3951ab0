// Package reads counts what is read of stored graphs for one part of a work, such as an
// operator of a query. The counter goes along with the context.
package reads

import (
	"context"
	"sync/atomic"
)

// Counter is what was read, from memory or from storage. Several goroutines may use it;
// a nil Counter counts nothing.
type Counter struct {
	Tiles   atomic.Int64 // that were looked into
	Skipped atomic.Int64 // that were passed over, by their bounds
	Of      atomic.Int64 // in the ranges of the scans
	Chunks  atomic.Int64 // of the dictionary
	Decoded atomic.Int64 // of these, those that were in no cache
	Bytes   atomic.Int64 // of both, as they are stored
}

type key struct{}

// With returns a context that carries a counter, in the place of another one.
func With(ctx context.Context, c *Counter) context.Context { return context.WithValue(ctx, key{}, c) }

// Of returns the counter of a context; nil if it has none.
func Of(ctx context.Context) *Counter {
	c, _ := ctx.Value(key{}).(*Counter)
	return c
}

// Tile counts a tile that is looked into.
func (c *Counter) Tile(bytes int64) {
	if c != nil {
		c.Tiles.Add(1)
		c.Bytes.Add(bytes)
	}
}

// Chunk counts a chunk of the dictionary.
func (c *Counter) Chunk(bytes int64) {
	if c != nil {
		c.Chunks.Add(1)
		c.Bytes.Add(bytes)
	}
}

// Decode counts a chunk of the dictionary that was in no cache.
func (c *Counter) Decode() {
	if c != nil {
		c.Decoded.Add(1)
	}
}

// Skip counts tiles that are passed over.
func (c *Counter) Skip(n int) {
	if c != nil {
		c.Skipped.Add(int64(n))
	}
}

// Add adds what another counter has.
func (c *Counter) Add(o *Counter) {
	c.Tiles.Add(o.Tiles.Load())
	c.Skipped.Add(o.Skipped.Load())
	c.Of.Add(o.Of.Load())
	c.Chunks.Add(o.Chunks.Load())
	c.Decoded.Add(o.Decoded.Load())
	c.Bytes.Add(o.Bytes.Load())
}
