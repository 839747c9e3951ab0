package tombstone

import (
	"context"
	"io"
	"unsafe"

	"github.com/rete-go/rete/internal/look"
)

// Merge returns the rows of several sources, netted: of the rows of one quad the
// newest entry decides. It may change the list.
func Merge(list []Source) Source {
	if len(list) == 1 {
		return list[0]
	}
	m := &merge{heap: make([]head, len(list))}
	for i, src := range list {
		m.heap[i].src = src
	}
	return m
}

// merge is a heap of sources by their next rows. The first one hands out the rows
// that lie before those of the others: long stretches as they are, short ones copied
// together.
type merge struct {
	heap  []head
	built bool
	stale bool // heap[0] has handed rows out
	out   []Row
}

type head struct {
	rows []Row
	src  Source
}

const (
	longStretch = 256  // rows from which on a stretch is handed out as it is
	mergeRows   = 1024 // rows that are copied together at most, about
)

// fill makes sure that a head has rows; false at its end.
func (h *head) fill(ctx context.Context) (bool, error) {
	if len(h.rows) > 0 {
		return true, nil
	}
	rows, err := h.src.Next(ctx)
	if err == io.EOF {
		return false, nil
	}
	h.rows = rows
	return err == nil, err
}

// build makes the heap.
func (m *merge) build(ctx context.Context) error {
	live := m.heap[:0]
	for _, h := range m.heap {
		more, err := h.fill(ctx)
		if err != nil {
			return err
		}
		if more {
			live = append(live, h)
		}
	}
	m.heap = live
	for i := len(live)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	m.built, m.stale = true, false
	return nil
}

// settle puts head i, of which rows were dropped, in its place.
func (m *merge) settle(ctx context.Context, i int) error {
	more, err := m.heap[i].fill(ctx)
	if err != nil {
		return err
	}
	if !more {
		last := len(m.heap) - 1
		m.heap[i] = m.heap[last]
		m.heap = m.heap[:last]
		if i == last {
			return nil
		}
	}
	m.down(i)
	for up := (i - 1) / 2; i > 0 && m.less(i, up); up = (i - 1) / 2 {
		m.heap[i], m.heap[up] = m.heap[up], m.heap[i]
		i = up
	}
	return nil
}

func (m *merge) less(i, j int) bool {
	return CompareRows(m.heap[i].rows[0], m.heap[j].rows[0]) < 0
}

func (m *merge) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(m.heap) {
			return
		}
		if c+1 < len(m.heap) && m.less(c+1, c) {
			c++
		}
		if !m.less(c, i) {
			return
		}
		m.heap[i], m.heap[c] = m.heap[c], m.heap[i]
		i = c
	}
}

func (m *merge) Next(ctx context.Context) ([]Row, error) {
	m.out = m.out[:0]
	if !m.built {
		if err := m.build(ctx); err != nil {
			return nil, err
		}
	}
	for {
		n, err := m.stretch(ctx)
		if err != nil {
			return nil, err
		}
		if n == 0 || len(m.out) > 0 && (n >= longStretch || len(m.out) >= mergeRows) {
			break
		}
		first := &m.heap[0]
		part := first.rows[:n]
		first.rows, m.stale = first.rows[n:], true
		if n >= longStretch {
			return part, nil
		}
		m.out = append(m.out, part...)
	}
	if len(m.out) == 0 {
		return nil, io.EOF
	}
	return m.out, nil
}

// stretch makes heap[0] the source with the next row and returns how many of its
// rows lie before those of the others; 0 at the end.
func (m *merge) stretch(ctx context.Context) (int, error) {
	if m.stale {
		m.stale = false
		if err := m.settle(ctx, 0); err != nil {
			return 0, err
		}
	}
	switch len(m.heap) {
	case 0:
		return 0, nil
	case 1:
		return len(m.heap[0].rows), nil
	}
	for step := 0; ; step++ {
		if err := look.At(ctx, step); err != nil {
			return 0, err
		}
		second := 1
		if len(m.heap) > 2 && m.less(2, 1) {
			second = 2
		}
		rows, h := m.heap[0].rows, &m.heap[second]
		if h.rows[0].Key != rows[0].Key {
			return Gallop(rows, h.rows[0].Key), nil
		}
		h.rows = h.rows[1:] // of the same quad, but lighter
		if err := m.settle(ctx, second); err != nil {
			return 0, err
		}
		if len(m.heap) == 1 {
			return len(rows), nil
		}
	}
}

func (m *merge) Bytes() int64 {
	n := int64(cap(m.out))*rowBytes + int64(cap(m.heap))*int64(unsafe.Sizeof(head{}))
	for i := range m.heap {
		n += m.heap[i].src.Bytes()
	}
	return n
}

func (m *merge) Seek(key Key) {
	for i := range m.heap {
		h := &m.heap[i]
		if h.rows = h.rows[Gallop(h.rows, key):]; len(h.rows) == 0 {
			h.src.Seek(key)
		}
	}
	m.built = false
}
