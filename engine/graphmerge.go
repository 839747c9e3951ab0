package engine

import (
	"context"
	"io"

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

// graphMerge is the set union of several graphs' rows: a heap of sources by
// their next key. While one of them is alone it hands out its stretches whole.
type graphMerge struct {
	heap  []mergeHead
	begun bool
	stale bool // heap[0].key must be looked at anew
}

type mergeHead struct {
	key tombstone.Key
	f   rowSource
}

func newGraphMerge(list []rowSource) *graphMerge {
	m := &graphMerge{heap: make([]mergeHead, len(list))}
	for i, f := range list {
		m.heap[i].f = f
	}
	return m
}

// settle makes heap[0] the fold with the smallest key, the only one with it.
func (m *graphMerge) settle(ctx context.Context) error {
	if !m.begun {
		m.begun = true
		live := m.heap[:0]
		for _, h := range m.heap {
			key, ok, err := h.f.peek(ctx)
			if err != nil {
				return err
			}
			if ok {
				live = append(live, mergeHead{key, h.f})
			}
		}
		m.heap = live
		for i := len(live)/2 - 1; i >= 0; i-- {
			m.down(i)
		}
	} else if m.stale && len(m.heap) > 0 {
		if err := m.refresh(ctx, 0); err != nil {
			return err
		}
	}
	m.stale = false
	for {
		i := m.second()
		if i < 0 || m.heap[i].key != m.heap[0].key {
			return nil
		}
		if err := m.heap[i].f.seek(ctx, m.heap[i].key.After(3)); err != nil {
			return err
		}
		if err := m.refresh(ctx, i); err != nil {
			return err
		}
	}
}

// refresh looks at the next key of heap[i] and puts it in its place, which is
// never above i.
func (m *graphMerge) refresh(ctx context.Context, i int) error {
	key, ok, err := m.heap[i].f.peek(ctx)
	if err != nil {
		return err
	}
	if ok {
		m.heap[i].key = key
		m.down(i)
		return nil
	}
	last := len(m.heap) - 1
	m.heap[i] = m.heap[last]
	m.heap = m.heap[:last]
	if i < last {
		m.down(i)
		for i > 0 && m.heap[i].key.Compare(m.heap[(i-1)/2].key) < 0 {
			m.heap[i], m.heap[(i-1)/2] = m.heap[(i-1)/2], m.heap[i]
			i = (i - 1) / 2
		}
	}
	return nil
}

func (m *graphMerge) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(m.heap) {
			return
		}
		if c+1 < len(m.heap) && m.heap[c+1].key.Compare(m.heap[c].key) < 0 {
			c++
		}
		if m.heap[i].key.Compare(m.heap[c].key) <= 0 {
			return
		}
		m.heap[i], m.heap[c] = m.heap[c], m.heap[i]
		i = c
	}
}

// second returns the place of the second smallest key, -1 if there is none.
func (m *graphMerge) second() int {
	switch {
	case len(m.heap) < 2:
		return -1
	case len(m.heap) > 2 && m.heap[2].key.Compare(m.heap[1].key) < 0:
		return 2
	}
	return 1
}

func (m *graphMerge) next(ctx context.Context, limit int, until *tombstone.Key) (piece, error) {
	if err := m.settle(ctx); err != nil {
		return piece{}, err
	}
	if len(m.heap) == 0 {
		return piece{}, io.EOF
	}
	if until != nil && m.heap[0].key.Compare(*until) >= 0 {
		return piece{}, nil
	}
	if i := m.second(); i >= 0 && (until == nil || m.heap[i].key.Compare(*until) < 0) {
		key := m.heap[i].key
		until = &key
	}
	m.stale = true
	return m.heap[0].f.next(ctx, limit, until)
}

func (m *graphMerge) seek(ctx context.Context, key tombstone.Key) error {
	if !m.begun {
		for _, h := range m.heap {
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
	for len(m.heap) > 0 && m.heap[0].key.Compare(key) < 0 {
		if err := m.heap[0].f.seek(ctx, key); err != nil {
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
	if len(m.heap) == 0 {
		return tombstone.Key{}, false, nil
	}
	return m.heap[0].key, true, nil
}
