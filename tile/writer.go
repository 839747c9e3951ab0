package tile

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rete-go/rete/internal/codec"
)

// target is the estimated size at which a tile is cut. It is part of the
// canonical form: another value gives other bytes.
const target = 65536

// Options are the choices of a [Writer]; the zero value stores tiles raw.
type Options struct {
	Codec Codec
	Level Level // of the zstd encoder
}

// Writer cuts ascending rows into the canonical tiles and hands each out as
// soon as it is cut. It keeps the rows of the open tile, about twice the target
// size at most, and the entries.
type Writer struct {
	opt  Options
	emit func(stored []byte, e Entry) error
	err  error

	*buffers
	done    int    // groups of open that are finished
	size    int    // estimated bytes of the finished groups
	cost    int    // estimated bytes of the open group
	prev    uint32 // first id before the open group, in the whole payload
	a, b, c uint32 // the last row

	entries []Entry // of the tiles handed out
	offset  int64   // of the next tile
}

// buffers are the memory of a writer, which another one takes over: there may be a writer for
// each order of very many small graphs.
type buffers struct {
	open        Tile   // rows not yet handed out: finished groups, then the open one
	raw, stored []byte // scratch
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// spent is what finished writers have: empty, and never written to.
var spent = new(buffers)

// NewWriter returns a writer that calls emit for each finished tile, in order.
// The slice is valid during the call; the offset of the entry counts from the
// first tile. An error of emit ends the writer.
func NewWriter(opt Options, emit func(stored []byte, e Entry) error) *Writer {
	return &Writer{opt: opt, emit: emit, buffers: pool.Get().(*buffers)}
}

// Add adds one row; rows ascend strictly by (a, b, c), else the error matches
// [ErrOrder] and the writer is of no further use.
func (w *Writer) Add(a, b, c uint32) error {
	t := &w.open
	switch {
	case w.err != nil:
		return w.err
	case b == 0 || c == 0 || a == 0:
		return w.outOfOrder(a, b, c)
	case a == w.a && len(t.A) > w.done: // in the open group
		switch {
		case b == w.b && c > w.c:
			j := len(t.BEnd) - 1
			t.BEnd[j]++
			w.cost += uvLen(c-w.c) + countStep(t.BEnd[j]-w.startOfC(j))
		case b > w.b:
			w.cost += uvLen(b-w.b) + 1 + uvLen(c)
			t.B, t.BEnd = append(t.B, b), append(t.BEnd, uint32(len(t.C)+1))
			i := len(t.AEnd) - 1
			t.AEnd[i]++
			w.cost += countStep(t.AEnd[i] - w.startOfB(i))
		default:
			return w.outOfOrder(a, b, c)
		}
	case a > w.a || a == w.a && (b > w.b || b == w.b && c > w.c):
		if err := w.endGroup(); err != nil {
			return err
		}
		t.A, t.B = append(t.A, a), append(t.B, b)
		t.AEnd, t.BEnd = append(t.AEnd, uint32(len(t.B))), append(t.BEnd, uint32(len(t.C)+1))
		w.cost = uvLen(a-w.prev) + 1 + uvLen(b) + 1 + uvLen(c)
	default:
		return w.outOfOrder(a, b, c)
	}
	t.C = append(t.C, c)
	w.a, w.b, w.c = a, b, c
	if w.cost > target {
		w.prev = a
		return w.cut(len(t.A))
	}
	return nil
}

// AddColumns adds rows given as three columns of one length. It costs about half
// of as many calls of Add.
func (w *Writer) AddColumns(a, b, c []uint32) error {
	if w.err != nil {
		return w.err
	}
	b, c = b[:len(a)], c[:len(a)]
	w.open.grow(min(len(a), mostRoom))
	for i := 0; i < len(a); {
		if len(w.open.A) > w.done && a[i] == w.a {
			if n := w.addToGroup(a[i:], b[i:], c[i:]); n > 0 {
				i += n
				if w.cost > target {
					w.prev = w.a
					if err := w.cut(len(w.open.A)); err != nil {
						return err
					}
				}
				continue
			}
		}
		if err := w.Add(a[i], b[i], c[i]); err != nil {
			return err
		}
		i++
	}
	return w.err
}

// mostRoom is for how many rows room is made at once: a tile has few thousands.
const mostRoom = 4096

// grow makes room for rows in the lists that grow with each row, and doubles them at least: each time
// the smaller ones are left behind.
func (t *Tile) grow(rows int) {
	for _, v := range []*[]uint32{&t.B, &t.BEnd, &t.C} {
		if cap(*v)-len(*v) < rows {
			*v = slices.Grow(*v, max(rows, len(*v)))
		}
	}
}

// addToGroup adds rows to the open group until the first id changes, a row is
// out of order, or the group is over the target; it returns how many it added.
func (w *Writer) addToGroup(a, b, c []uint32) int {
	t := &w.open
	bs, ends, cs := t.B, t.BEnd, t.C
	lastA, lastB, lastC := w.a, w.b, w.c
	i, j := len(t.AEnd)-1, len(ends)-1
	startB, startC := w.startOfB(i), w.startOfC(j)
	cost, n := w.cost, 0
	for ; n < len(a) && a[n] == lastA && cost <= target; n++ {
		nextB, nextC := b[n], c[n]
		if nextB == lastB {
			if nextC <= lastC {
				break
			}
			cs = append(cs, nextC)
			ends[len(ends)-1] = uint32(len(cs))
			cost += uvLen(nextC-lastC) + countStep(uint32(len(cs))-startC)
		} else {
			if nextB < lastB || nextC == 0 {
				break
			}
			startC = uint32(len(cs))
			cs = append(cs, nextC)
			bs, ends = append(bs, nextB), append(ends, uint32(len(cs)))
			cost += uvLen(nextB-lastB) + 1 + uvLen(nextC) + countStep(uint32(len(bs))-startB)
			lastB = nextB
		}
		lastC = nextC
	}
	t.B, t.BEnd, t.C = bs, ends, cs
	t.AEnd[i] = uint32(len(bs))
	w.b, w.c, w.cost = lastB, lastC, cost
	return n
}

// Finish hands out the last tile and returns the entries of all. The writer
// cannot be used afterwards.
func (w *Writer) Finish() ([]Entry, error) {
	if w.err != nil {
		return nil, w.err
	}
	if err := w.endGroup(); err != nil {
		return nil, err
	}
	if err := w.cut(len(w.open.A)); err != nil {
		return nil, err
	}
	w.err = errors.New("tile: writer is finished")
	pool.Put(w.buffers) // without rows: all were cut
	w.buffers = spent
	return w.entries, nil
}

func (w *Writer) outOfOrder(a, b, c uint32) error {
	w.err = fmt.Errorf("%w: (%d, %d, %d) after (%d, %d, %d)", ErrOrder, a, b, c, w.a, w.b, w.c)
	return w.err
}

// startOfC returns where the third ids of the j-th second id begin.
func (w *Writer) startOfC(j int) uint32 {
	if j == 0 {
		return 0
	}
	return w.open.BEnd[j-1]
}

// startOfB returns where the second ids of the i-th first id begin.
func (w *Writer) startOfB(i int) uint32 {
	if i == 0 {
		return 0
	}
	return w.open.AEnd[i-1]
}

// countStep returns by how many bytes a count grew when it became n.
func countStep(n uint32) int {
	if n&0x7f != 0 {
		return 0
	}
	return uvLen(n) - uvLen(n-1)
}

// endGroup closes the open group, if there is one. Where it does not fit the
// finished groups before it, those go out as a tile.
func (w *Writer) endGroup() error {
	if len(w.open.A) == w.done {
		return nil
	}
	if w.done > 0 && w.size+w.cost > target {
		if err := w.cut(w.done); err != nil {
			return err
		}
	}
	w.size += w.cost
	w.prev = w.a
	w.done = len(w.open.A)
	return nil
}

// cut hands out the first n groups as a tile and keeps the others.
func (w *Writer) cut(n int) error {
	if n == 0 {
		return nil
	}
	all := w.open
	nb := all.AEnd[n-1]
	nc := all.BEnd[nb-1]
	head := Tile{A: all.A[:n], B: all.B[:nb], C: all.C[:nc], AEnd: all.AEnd[:n], BEnd: all.BEnd[:nb]}
	z := head.zone()
	w.raw = appendRaw(w.raw[:0], &head, z)
	w.stored = codec.Compress(w.opt.Codec, w.opt.Level, w.stored[:0], w.raw)
	e := z.entry()
	e.HasSynopsis = true
	e.Off, e.Len, e.RawLen, e.Rows = w.offset, uint32(len(w.stored)), uint32(len(w.raw)), nc
	if err := w.emit(w.stored, e); err != nil {
		w.err = err
		return err
	}
	w.entries = append(w.entries, e)
	w.offset += int64(len(w.stored))

	keep := func(v []uint32, from int, shift uint32) []uint32 {
		rest := append(v[:0], v[from:]...)
		for i := range rest {
			rest[i] -= shift
		}
		return rest
	}
	w.open = Tile{
		A: keep(all.A, n, 0), AEnd: keep(all.AEnd, n, nb),
		B: keep(all.B, int(nb), 0), BEnd: keep(all.BEnd, int(nb), nc),
		C: keep(all.C, int(nc), 0),
	}
	w.done, w.size = 0, 0
	return nil
}
