package folds

import (
	"context"
	"io"
	"unsafe"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/tombstone"
)

// Merge returns the rows of several sources, netted: of the rows of one quad the
// newest entry decides. It may change the list.
func Merge(list []Source) Source {
	if len(list) == 1 {
		return list[0]
	}
	m := &merge{list: make([]head, len(list))}
	for i, src := range list {
		m.list[i].src = src
	}
	return m
}

// merge has its sources by their next rows. The first one hands out the rows that lie
// before those of the others: long stretches as they are, short ones copied together.
type merge struct {
	list  []head // the sources that may have rows, where heap is not built
	heap  kmerge.Heap[head]
	built bool
	stale bool // the first has handed rows out
	out   []tombstone.Row
}

type head struct {
	rows []tombstone.Row
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
	live := m.list[:0]
	for _, h := range m.list {
		more, err := h.fill(ctx)
		if err != nil {
			return err
		}
		if more {
			live = append(live, h)
		}
	}
	m.heap = kmerge.New(live, func(a, b *head) bool { return tombstone.CompareRows(a.rows[0], b.rows[0]) < 0 })
	m.built, m.stale = true, false
	return nil
}

// settle puts head i, of which rows were dropped, in its place.
func (m *merge) settle(ctx context.Context, i int) error {
	more, err := m.heap.At(i).fill(ctx)
	if err != nil {
		return err
	}
	if more {
		m.heap.Fix(i)
	} else {
		m.heap.Drop(i)
	}
	return nil
}

func (m *merge) Next(ctx context.Context) ([]tombstone.Row, error) {
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
		first := m.heap.At(0)
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

// stretch brings the source with the next row to the front and returns how many of its
// rows lie before those of the others; 0 at the end.
func (m *merge) stretch(ctx context.Context) (int, error) {
	if m.stale {
		m.stale = false
		if err := m.settle(ctx, 0); err != nil {
			return 0, err
		}
	}
	if m.heap.Len() == 0 {
		return 0, nil
	}
	for step := 0; ; step++ {
		if err := cancel.Check(ctx, step); err != nil {
			return 0, err
		}
		rows, second := m.heap.At(0).rows, m.heap.Second()
		if second < 0 {
			return len(rows), nil
		}
		h := m.heap.At(second)
		if h.rows[0].Key != rows[0].Key {
			return tombstone.Gallop(rows, h.rows[0].Key), nil
		}
		h.rows = h.rows[1:] // of the same quad, but lighter
		if err := m.settle(ctx, second); err != nil {
			return 0, err
		}
	}
}

func (m *merge) Bytes() int64 {
	n := int64(cap(m.out))*rowBytes + int64(cap(m.list))*int64(unsafe.Sizeof(head{}))
	for _, h := range m.sources() {
		n += h.src.Bytes()
	}
	return n
}

// sources are those that may have rows.
func (m *merge) sources() []head {
	if m.built {
		return m.heap.All()
	}
	return m.list
}

func (m *merge) Seek(key tombstone.Key) {
	m.list = m.sources()
	for i := range m.list {
		h := &m.list[i]
		if h.rows = h.rows[tombstone.Gallop(h.rows, key):]; len(h.rows) == 0 {
			h.src.Seek(key)
		}
	}
	m.built = false
}
