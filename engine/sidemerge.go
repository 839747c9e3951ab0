package engine

import (
	"context"
	"io"
	"sync/atomic"
	"unsafe"
)

// sideSource delivers netted rows in order, part by part.
type sideSource interface {
	// next returns the next rows, never none, and io.EOF at the end. They are
	// valid until the next call.
	next(ctx context.Context) (sideRows, error)
	// seek drops rows below key; it never moves back.
	seek(key key3)
	// bytes returns about how much memory the source has of its own, that of the rows
	// that it delivered last included. What the view keeps is not among it.
	bytes() int64
}

// bytes returns about how much memory the rows take.
func (s *sideRows) bytes() int64 {
	return int64(cap(s.rows))*int64(unsafe.Sizeof(sideRow{})) + int64(cap(s.spots))*4
}

// sideSlice is a run in memory as a source.
type sideSlice struct {
	sideRows
	own int64 // bytes; 0: the view keeps the rows
}

// ownSlice is rows that nobody else has, as a source.
func ownSlice(rows []sideRow) *sideSlice {
	s := &sideSlice{sideRows: sideRows{rows: rows}}
	s.own = s.sideRows.bytes()
	return s
}

func (s *sideSlice) bytes() int64 { return s.own }

func (s *sideSlice) next(context.Context) (sideRows, error) {
	if len(s.rows) == 0 {
		return sideRows{}, io.EOF
	}
	all := s.sideRows
	s.sideRows = sideRows{}
	return all, nil
}

func (s *sideSlice) seek(key key3) { s.sideRows = s.from(key) }

// sideMerge merges sources and nets them: of equal keys the heaviest stays. It is a
// heap by the next rows, of which the first hands out what lies before the others.
// Long stretches are handed out as they are, short ones are put together.
type sideMerge struct {
	heap  []sideHead
	built bool
	stale bool // heap[0] has handed rows out
	out   sideRows
	owed  []owedSpot // of out
}

// owedSpot is where the spot of row i of what was handed out belongs, if it is known
// by now.
type owedSpot struct {
	i  int
	to *uint32
}

// longSide is from how many rows on a stretch is handed out as it is.
const longSide = 256

type sideHead struct {
	sideRows
	src sideSource
}

func newSideMerge(srcs []sideSource) sideSource {
	if len(srcs) == 1 {
		return srcs[0]
	}
	m := &sideMerge{heap: make([]sideHead, len(srcs))}
	for i, src := range srcs {
		m.heap[i].src = src
	}
	return m
}

// fill makes sure that a head has rows; false at its end.
func (h *sideHead) fill(ctx context.Context) (bool, error) {
	if len(h.rows) > 0 {
		return true, nil
	}
	rows, err := h.src.next(ctx)
	if err == io.EOF {
		return false, nil
	}
	h.sideRows = rows
	return err == nil, err
}

// build makes the heap.
func (m *sideMerge) build(ctx context.Context) error {
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
func (m *sideMerge) settle(ctx context.Context, i int) error {
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

func (m *sideMerge) less(i, j int) bool {
	return compareSide(m.heap[i].rows[0], m.heap[j].rows[0]) < 0
}

func (m *sideMerge) down(i int) {
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

func (m *sideMerge) next(ctx context.Context) (sideRows, error) {
	m.pay()
	m.out = sideRows{m.out.rows[:0], m.out.spots[:0]}
	if !m.built {
		if err := m.build(ctx); err != nil {
			return sideRows{}, err
		}
	}
	for {
		n, err := m.stretch(ctx)
		if err != nil {
			return sideRows{}, err
		}
		if n == 0 || len(m.out.rows) > 0 && (n >= longSide || len(m.out.rows) >= BatchRows) {
			break
		}
		first := &m.heap[0]
		part := first.take(n)
		first.sideRows, m.stale = first.drop(n), true
		if n >= longSide {
			return part, nil
		}
		m.put(part)
	}
	if len(m.out.rows) == 0 {
		return sideRows{}, io.EOF
	}
	return m.out, nil
}

// put copies rows to those that are handed out.
func (m *sideMerge) put(part sideRows) {
	at := len(m.out.rows)
	m.out.rows = append(m.out.rows, part.rows...)
	for i := range part.rows {
		p := part.known(i)
		m.out.spots = append(m.out.spots, uint32(p))
		if p == spotUnknown && part.spots != nil {
			m.owed = append(m.owed, owedSpot{at + i, &part.spots[i]})
		}
	}
}

// pay hands the spots on that were found since.
func (m *sideMerge) pay() {
	for _, o := range m.owed {
		if p := m.out.known(o.i); p != spotUnknown {
			atomic.StoreUint32(o.to, uint32(p))
		}
	}
	m.owed = m.owed[:0]
}

// stretch makes heap[0] the source with the next row and returns how many of its rows
// lie before those of the others; 0 at the end.
func (m *sideMerge) stretch(ctx context.Context) (int, error) {
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
	for {
		second := 1
		if len(m.heap) > 2 && m.less(2, 1) {
			second = 2
		}
		rows, h := m.heap[0].rows, &m.heap[second]
		if h.rows[0].key != rows[0].key {
			return len(rows) - len(sideFrom(rows, h.rows[0].key)), nil
		}
		h.sideRows = h.drop(1) // of the same quad, but lighter
		if err := m.settle(ctx, second); err != nil {
			return 0, err
		}
		if len(m.heap) == 1 {
			return len(rows), nil
		}
	}
}

func (m *sideMerge) bytes() int64 {
	n := m.out.bytes() + int64(cap(m.owed))*int64(unsafe.Sizeof(owedSpot{})) + int64(cap(m.heap))*int64(unsafe.Sizeof(sideHead{}))
	for i := range m.heap {
		n += m.heap[i].src.bytes()
	}
	return n
}

func (m *sideMerge) seek(key key3) {
	for i := range m.heap {
		h := &m.heap[i]
		if h.sideRows = h.from(key); len(h.rows) == 0 {
			h.src.seek(key)
		}
	}
	m.built = false
}
