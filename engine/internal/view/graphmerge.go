package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/tombstone"
)

// rowSource is visible rows in order: one graph, or several as a set.
type rowSource interface {
	// next returns the next stretch of at most limit rows, all before until; an
	// empty one if the next row is not. The stretch is valid until the next call
	// of any method. At the end it is io.EOF.
	next(ctx context.Context, limit int, until *tombstone.Key) (piece, error)
	// seek moves forward to the first row that is not below key.
	seek(ctx context.Context, key tombstone.Key) error
	// peek returns the key of the next row; ok is false at the end.
	peek(ctx context.Context) (key tombstone.Key, ok bool, err error)
}

// graphMerge is the set union of several graphs' rows, merged by their next key. While
// one of them is alone it hands out its stretches whole.
type graphMerge struct {
	list  []mergeHead // until it begins
	heap  kmerge.Heap[mergeHead]
	begun bool
	stale bool // the key of the first must be read anew
}

type mergeHead struct {
	key tombstone.Key
	f   rowSource
}

func newGraphMerge(list []rowSource) *graphMerge {
	m := &graphMerge{list: make([]mergeHead, len(list))}
	for i, f := range list {
		m.list[i].f = f
	}
	return m
}

// settle makes the first source the one with the smallest key, the only one with it.
func (m *graphMerge) settle(ctx context.Context) error {
	if !m.begun {
		live := m.list[:0]
		for _, h := range m.list {
			key, ok, err := h.f.peek(ctx)
			if err != nil {
				return err
			}
			if ok {
				live = append(live, mergeHead{key, h.f})
			}
		}
		m.begun = true
		m.heap = kmerge.New(live, func(a, b *mergeHead) bool { return a.key.Compare(b.key) < 0 })
	} else if m.stale && m.heap.Len() > 0 {
		if err := m.refresh(ctx, 0); err != nil {
			return err
		}
	}
	m.stale = false
	for {
		i := m.heap.Second()
		if i < 0 || m.heap.At(i).key != m.heap.At(0).key {
			return nil
		}
		h := m.heap.At(i)
		if err := h.f.seek(ctx, h.key.After(3)); err != nil {
			return err
		}
		if err := m.refresh(ctx, i); err != nil {
			return err
		}
	}
}

// refresh reads the next key of a source.
func (m *graphMerge) refresh(ctx context.Context, i int) error {
	h := m.heap.At(i)
	key, ok, err := h.f.peek(ctx)
	if err != nil {
		return err
	}
	if !ok {
		m.heap.Drop(i)
		return nil
	}
	h.key = key
	m.heap.Fix(i)
	return nil
}

func (m *graphMerge) next(ctx context.Context, limit int, until *tombstone.Key) (piece, error) {
	if err := m.settle(ctx); err != nil {
		return piece{}, err
	}
	if m.heap.Len() == 0 {
		return piece{}, io.EOF
	}
	if until != nil && m.heap.At(0).key.Compare(*until) >= 0 {
		return piece{}, nil
	}
	if i := m.heap.Second(); i >= 0 && (until == nil || m.heap.At(i).key.Compare(*until) < 0) {
		key := m.heap.At(i).key
		until = &key
	}
	m.stale = true
	return m.heap.At(0).f.next(ctx, limit, until)
}

func (m *graphMerge) seek(ctx context.Context, key tombstone.Key) error {
	if !m.begun {
		for _, h := range m.list {
			if err := h.f.seek(ctx, key); err != nil {
				return err
			}
		}
		return nil
	}
	if m.stale {
		if err := m.settle(ctx); err != nil {
			return err
		}
	}
	for m.heap.Len() > 0 && m.heap.At(0).key.Compare(key) < 0 {
		if err := m.heap.At(0).f.seek(ctx, key); err != nil {
			return err
		}
		if err := m.refresh(ctx, 0); err != nil {
			return err
		}
	}
	return nil
}

func (m *graphMerge) peek(ctx context.Context) (tombstone.Key, bool, error) {
	if err := m.settle(ctx); err != nil {
		return tombstone.Key{}, false, err
	}
	if m.heap.Len() == 0 {
		return tombstone.Key{}, false, nil
	}
	return m.heap.At(0).key, true, nil
}
