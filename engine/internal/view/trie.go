package view

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tombstone"
)

// trie implements [dataset.Trie]. A Close may be called concurrently with other methods.
type trie struct {
	end    *ending     // of what gave the view
	closed atomic.Bool // by Close
	c      *cursor     // makes sources
	src    rowSource
	depth  int           // columns that are chosen; 0 at the root
	path   tombstone.Key // their keys
	moved  bool          // src may be past the first row of the path
}

// trie is [View.Trie].
func (v *view) trie(ctx context.Context, p dataset.Pattern, o dataset.Order) (*trie, error) {
	c, err := v.scan(p, o, nil)
	if err != nil {
		return nil, err
	}
	if p.P == 0 {
		return nil, dataset.ErrNoTrie
	}
	if err := c.begin(ctx); err != nil {
		return nil, err
	}
	for i, col := range c.q.Cols {
		if i >= c.q.Lead && c.q.Bound[col] != 0 {
			return nil, dataset.ErrNoTrie
		}
	}
	if p.G.Mode == dataset.Each && (len(c.graphs) > 1 || c.graphRows != nil) {
		return nil, dataset.ErrNoTrie
	}
	return &trie{c: c}, nil
}

// source opens the rows from a key on.
func (t *trie) source(lo tombstone.Key) {
	q := *t.c.q
	q.Raise(lo)
	t.src = q.mergeSource(t.c.merged, t.c.graphs)
}

// Open goes down to the first id of the next level; false if there is none, which
// is so at the root of an empty pattern alone.
func (t *trie) Open(ctx context.Context) (bool, error) {
	if err := t.over(); err != nil {
		return false, err
	}
	if t.depth == 3 {
		return false, nil
	}
	if t.src == nil || t.moved {
		var lo tombstone.Key
		copy(lo[:t.depth], t.path[:t.depth])
		t.source(lo)
		t.moved = false
	}
	t.depth++
	ok, err := t.settle(ctx)
	if !ok {
		t.depth--
	}
	return ok, t.end.Late(ctx, err)
}

// settle takes the id of the next row, if the row is below the path.
func (t *trie) settle(ctx context.Context) (bool, error) {
	key, ok, err := t.src.peek(ctx)
	if err != nil || !ok {
		return false, err
	}
	level := t.depth - 1
	for i := range level {
		if key[i] != t.path[i] {
			return false, nil
		}
	}
	t.path[level] = key[level]
	return true, nil
}

// Next goes on to the next id of the level; false if there is none.
func (t *trie) Next(ctx context.Context) (bool, error) {
	if err := t.over(); err != nil {
		return false, err
	}
	return t.seek(ctx, t.path.After(t.depth))
}

// Seek goes forward to the first id of the level that is at or after id; false
// if there is none.
func (t *trie) Seek(ctx context.Context, id dataset.ID) (bool, error) {
	if err := t.over(); err != nil {
		return false, err
	}
	key := t.path
	level := t.depth - 1
	if t.c.q.Cols[level] == colP { // bound: one id
		return id <= t.c.q.Bound[colP], nil
	}
	if uint64(id) <= key[level] {
		return true, nil
	}
	key[level] = uint64(id)
	clear(key[t.depth:])
	return t.seek(ctx, key)
}

func (t *trie) seek(ctx context.Context, key tombstone.Key) (bool, error) {
	if err := t.src.seek(ctx, key); err != nil {
		return false, t.end.Late(ctx, err)
	}
	t.moved = false
	ok, err := t.settle(ctx)
	if !ok {
		t.moved = true
	}
	return ok, t.end.Late(ctx, err)
}

// Key returns the id of the level.
func (t *trie) Key() dataset.ID {
	if t.c.q.Cols[t.depth-1] == colP {
		return t.c.q.Bound[colP]
	}
	return dataset.ID(t.path[t.depth-1])
}

// Size returns about how many rows are below the id: those in the tile at hand.
func (t *trie) Size() uint64 {
	f, ok := t.src.(*fold)
	if !ok || f.base == nil || f.run.Tile == nil || f.pos.Row >= f.run.Hi {
		return 1
	}
	local, _ := f.q.BaseKey(t.path.After(t.depth))
	return uint64(max(layers.SeekTile(f.run.Tile, f.pos, f.run.Hi, local).Row-f.pos.Row, 1))
}

// Up goes back to the level above.
func (t *trie) Up() {
	if t.depth > 0 {
		t.depth--
		t.moved = true
	}
}

// Bytes returns about how much memory the trie holds, the tiles that it stands in
// included, which may be gone from the cache.
func (t *trie) Bytes() int64 { return sourceBytes(t.src) }

// sourceBytes returns about how much memory a source of rows holds.
func sourceBytes(s rowSource) int64 {
	switch s := s.(type) {
	case *fold:
		n := int64(unsafe.Sizeof(*s)) + s.step.Bytes() + 4*int64(cap(s.hidden))
		if s.changes != nil {
			n += s.changes.Bytes()
		}
		if s.run.Tile != nil {
			n += s.run.Tile.Bytes()
		}
		return n
	case *graphMerge:
		n := int64(cap(s.list)) * int64(unsafe.Sizeof(mergeHead{}))
		list := s.list
		if s.begun {
			list = s.heap.All()
		}
		for _, h := range list {
			n += sourceBytes(h.f)
		}
		return n
	case *graphRowsMerge:
		return int64(unsafe.Sizeof(*s)) + s.t.Bytes()
	}
	return 0
}

// Close lets go of what the trie holds.
func (t *trie) Close() error {
	t.closed.Store(true)
	return nil
}

func (t *trie) over() error {
	if t.closed.Load() {
		return errTrieClosed
	}
	return t.end.Over()
}
