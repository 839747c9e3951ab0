package layers

import (
	"sort"

	"github.com/rete-go/rete/tile"
)

// Pos is a place in a tile: a row, the second id above it and the first id
// above that. Past the last row all three are past their ends.
type Pos struct{ A, B, Row int }

// KeyAt returns the three ids at p, which must be a row of t.
func KeyAt(t *tile.Tile, p Pos) [3]uint32 {
	return [3]uint32{t.A[p.A], t.B[p.B], t.C[p.Row]}
}

// PosOf returns the place of a row, by two binary searches.
func PosOf(t *tile.Tile, row int) Pos {
	b := sort.Search(len(t.BEnd), func(k int) bool { return int(t.BEnd[k]) > row })
	a := sort.Search(len(t.AEnd), func(k int) bool { return int(t.AEnd[k]) > b })
	return Pos{a, b, row}
}

// MoveTo moves p forward to a row, walking when it is near.
func MoveTo(t *tile.Tile, p Pos, row int) Pos {
	p.B += Gallop(t.BEnd[p.B:], uint32(row)+1)
	p.A += Gallop(t.AEnd[p.A:], uint32(p.B)+1)
	p.Row = row
	return p
}

// Gallop returns the index of the first value that is at least v, by doubling
// steps from the start: cheap when it is near.
func Gallop[T uint32 | uint64](list []T, v T) int {
	if len(list) == 0 || list[0] >= v {
		return 0
	}
	step := 1
	for step < len(list) && list[step] < v {
		step <<= 1
	}
	lo, hi := step>>1, min(step, len(list))
	for lo+1 < hi {
		mid := int(uint(lo+hi) >> 1)
		if list[mid] < v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// start returns the first index under element i of a list of ends.
func start(ends []uint32, i int) int {
	if i == 0 {
		return 0
	}
	return int(ends[i-1])
}

// SeekTile moves p forward to the first row that is not below key, to limit if
// there is none before it. Rows below p are not looked at.
func SeekTile(t *tile.Tile, p Pos, limit int, key [3]uint32) Pos {
	if p.Row >= limit {
		return p
	}
	a := p.A + Gallop(t.A[p.A:], key[0])
	if a >= len(t.A) {
		return EndPos(t, limit)
	}
	b, row := p.B, p.Row
	if a > p.A {
		b = start(t.AEnd, a)
		row = start(t.BEnd, b)
	}
	if t.A[a] == key[0] {
		end := int(t.AEnd[a])
		nb := b + Gallop(t.B[b:end], key[1])
		if nb > b {
			b, row = nb, start(t.BEnd, nb)
		}
		switch {
		case b == end: // every second id is below: the next first id
			a++
			if a == len(t.A) {
				return EndPos(t, limit)
			}
		case t.B[b] == key[1]:
			cEnd := int(t.BEnd[b])
			row += Gallop(t.C[row:cEnd], key[2])
			if row == cEnd {
				if b++; b == end {
					if a++; a == len(t.A) {
						return EndPos(t, limit)
					}
				}
			}
		}
	}
	if row >= limit {
		return EndPos(t, limit)
	}
	return Pos{a, b, row}
}

// EndPos is the place of limit, which may be past the last row.
func EndPos(t *tile.Tile, limit int) Pos {
	if limit >= t.Len() {
		return Pos{len(t.A), len(t.B), t.Len()}
	}
	return PosOf(t, limit)
}
