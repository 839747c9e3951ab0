package tile

import (
	"sync"

	"github.com/rete-go/rete/internal/damage"
)

// zone holds the inclusive bounds that a tile states of its columns.
type zone struct{ minA, maxA, minB, maxB, minC, maxC uint32 }

// scratch is where a tile is parsed before it gets arrays of the exact size.
type scratch struct{ a, b, c, aEnd, bEnd []uint32 }

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// maxKept bounds the ids that a pooled scratch may hold on to; a larger one is
// given back to the garbage collector.
const maxKept = 1 << 20

// Decode parses the raw content of one tile into t. The arrays of t are reused
// where they are large enough, else all five are cut from one allocation of the
// exact size; t must not be shared while it is decoded into.
//
// Everything is checked: lengths, the 32-bit range of every id, strict order,
// row count, zone map, trailing bytes. Errors match engine.ErrDamaged and leave t
// empty. For n raw bytes at most 17n bytes are allocated.
func Decode(raw []byte, t *Tile) error {
	s := scratchPool.Get().(*scratch)
	err := s.parse(raw)
	if err == nil {
		s.moveTo(t)
	} else {
		t.A, t.B, t.C, t.AEnd, t.BEnd = t.A[:0], t.B[:0], t.C[:0], t.AEnd[:0], t.BEnd[:0]
	}
	if cap(s.c) <= maxKept {
		scratchPool.Put(s)
	}
	return err
}

// moveTo copies the parsed arrays to t.
func (s *scratch) moveTo(t *Tile) {
	na, nb, nc := len(s.a), len(s.b), len(s.c)
	if cap(t.A) < na || cap(t.AEnd) < na || cap(t.B) < nb || cap(t.BEnd) < nb || cap(t.C) < nc {
		slab := make([]uint32, 2*na+2*nb+nc)
		cut := func(n int) []uint32 {
			part := slab[:n:n]
			slab = slab[n:]
			return part
		}
		t.A, t.AEnd, t.B, t.BEnd, t.C = cut(na), cut(na), cut(nb), cut(nb), cut(nc)
	}
	t.A = append(t.A[:0], s.a...)
	t.B = append(t.B[:0], s.b...)
	t.C = append(t.C[:0], s.c...)
	t.AEnd = append(t.AEnd[:0], s.aEnd...)
	t.BEnd = append(t.BEnd[:0], s.bEnd...)
}

// grow returns a slice of length n, reusing v.
func grow(v []uint32, n int) []uint32 {
	if cap(v) < n {
		return make([]uint32, n)
	}
	return v[:n]
}

// errTile is the one shape of a malformed tile.
func errTile(offset int, format string, args ...any) error {
	e := damage.New("tile", format, args...)
	e.Offset = int64(offset)
	return e
}

// parse reads a whole tile.
func (s *scratch) parse(raw []byte) error {
	var head [8]uint32
	p := 0
	for i := range head {
		v, next := uv(raw, p)
		if next < 0 {
			return errTile(p, "the zone map is cut short or not 32-bit")
		}
		head[i], p = v, next
	}
	want := zone{head[0], head[1], head[2], head[3], head[4], head[5]}
	rows, groups := head[6], head[7]
	left := len(raw) - p
	// Each row takes a byte at least, each b three, each a five.
	if uint64(rows) > uint64(left) || uint64(groups) > uint64(left)/5 {
		return errTile(p, "%d rows in %d groups do not fit the %d bytes left", rows, groups, left)
	}
	if rows == 0 || groups == 0 {
		return errTile(p, "no rows")
	}
	s.a, s.aEnd = grow(s.a, int(groups)), grow(s.aEnd, int(groups))
	pairs := min(int(rows), left/3)
	s.b, s.bEnd = grow(s.b, pairs), grow(s.bEnd, pairs)
	s.c = grow(s.c, int(rows))

	got, nb, end, bad := s.groups(raw, p)
	if bad != "" {
		return errTile(end, "%s", bad)
	}
	s.b, s.bEnd = s.b[:nb], s.bEnd[:nb]
	if nb == 0 || s.bEnd[nb-1] != rows {
		return errTile(end, "fewer rows than the %d stated", rows)
	}
	if end != len(raw) {
		return errTile(end, "%d bytes after the last row", len(raw)-end)
	}
	if got != want {
		return errTile(0, "the zone map %v does not match the rows, %v", want, got)
	}
	return nil
}
