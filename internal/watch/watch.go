// Package watch lets one goroutine see how far a query or update has come that others run.
//
// The server puts a [Query] into the context; the executor finds it there and counts.
package watch

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Query is what can be seen of a query or update. The zero value is one that has not begun. Its
// methods may be called by several goroutines; those of nil count nothing, and nobody sees it.
type Query struct {
	rows    atomic.Int64
	spilled atomic.Int64
	worked  atomic.Int64
	mu      sync.Mutex
	holders []*Holder
	peak    int64
}

// Holder holds memory of a query.
type Holder struct {
	query *Query
	bytes func() (now, peak int64)
}

type key struct{}

// With returns a context by which what it is given to is seen as q.
func With(ctx context.Context, q *Query) context.Context { return context.WithValue(ctx, key{}, q) }

// From returns the query that With put into a context; nil if there is none.
func From(ctx context.Context) *Query {
	q, _ := ctx.Value(key{}).(*Query)
	return q
}

// Count adds rows: of an answer, quads of a graph, or solutions of an update.
func (q *Query) Count(rows int) {
	if q != nil {
		q.rows.Add(int64(rows))
	}
}

// Rows returns what was counted.
func (q *Query) Rows() int64 { return q.rows.Load() }

// Spill adds bytes that were written to temporary files for want of memory.
func (q *Query) Spill(bytes int64) {
	if q != nil {
		q.spilled.Add(bytes)
	}
}

// Spilled returns what was added.
func (q *Query) Spilled() int64 { return q.spilled.Load() }

// Work adds time that a goroutine worked beside the query's own.
func (q *Query) Work(took time.Duration) {
	if q != nil {
		q.worked.Add(int64(took))
	}
}

// Worked returns what was added.
func (q *Query) Worked() time.Duration { return time.Duration(q.worked.Load()) }

// Hold names a holder of memory, which is asked for the bytes that it holds and the most that it
// held, by any goroutine, until [Holder.Leave].
func (q *Query) Hold(bytes func() (now, peak int64)) *Holder {
	if q == nil {
		return nil
	}
	h := &Holder{q, bytes}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holders = append(q.holders, h)
	return h
}

// Leave ends what Hold began: the holder is asked no more. It may be called twice, and of nil.
func (h *Holder) Leave() {
	if h == nil {
		return
	}
	q := h.query
	q.mu.Lock()
	defer q.mu.Unlock()
	q.see()
	q.holders = slices.DeleteFunc(q.holders, func(o *Holder) bool { return o == h })
}

// Bytes returns what all holders hold.
func (q *Query) Bytes() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	var sum int64
	for _, h := range q.holders {
		now, _ := h.bytes()
		sum += now
	}
	return sum
}

// Peak returns about the most that all holders held together.
func (q *Query) Peak() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.see()
	return q.peak
}

// see notes the most that the holders held. mu is held.
func (q *Query) see() {
	var sum int64
	for _, h := range q.holders {
		_, peak := h.bytes()
		sum += peak
	}
	q.peak = max(q.peak, sum)
}
