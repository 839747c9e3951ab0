package view

import (
	"sort"

	"github.com/rete-go/rete/tile"
)

// tilePos is a place in a tile: a row, the second id above it and the first id
// above that. Past the last row all three are past their ends.
type tilePos struct{ a, b, row int }

// keyAt returns the three ids at p, which must be a row of t.
func keyAt(t *tile.Tile, p tilePos) [3]uint32 {
	return [3]uint32{t.A[p.a], t.B[p.b], t.C[p.row]}
}

// posOf returns the place of a row, by two binary searches.
func posOf(t *tile.Tile, row int) tilePos {
	b := sort.Search(len(t.BEnd), func(k int) bool { return int(t.BEnd[k]) > row })
	a := sort.Search(len(t.AEnd), func(k int) bool { return int(t.AEnd[k]) > b })
	return tilePos{a, b, row}
}

// moveTo moves p forward to a row, walking when it is near.
func moveTo(t *tile.Tile, p tilePos, row int) tilePos {
	p.b += gallop(t.BEnd[p.b:], uint32(row)+1)
	p.a += gallop(t.AEnd[p.a:], uint32(p.b)+1)
	p.row = row
	return p
}

// gallop returns the index of the first value that is at least v, by doubling
// steps from the start: cheap when it is near.
func gallop[T uint32 | uint64](list []T, v T) int {
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

// seekTile moves p forward to the first row that is not below key, to limit if
// there is none before it. Rows below p are not looked at.
func seekTile(t *tile.Tile, p tilePos, limit int, key [3]uint32) tilePos {
	if p.row >= limit {
		return p
	}
	a := p.a + gallop(t.A[p.a:], key[0])
	if a >= len(t.A) {
		return endPos(t, limit)
	}
	b, row := p.b, p.row
	if a > p.a {
		b = start(t.AEnd, a)
		row = start(t.BEnd, b)
	}
	if t.A[a] == key[0] {
		end := int(t.AEnd[a])
		nb := b + gallop(t.B[b:end], key[1])
		if nb > b {
			b, row = nb, start(t.BEnd, nb)
		}
		switch {
		case b == end: // every second id is below: the next first id
			a++
			if a == len(t.A) {
				return endPos(t, limit)
			}
		case t.B[b] == key[1]:
			cEnd := int(t.BEnd[b])
			row += gallop(t.C[row:cEnd], key[2])
			if row == cEnd {
				if b++; b == end {
					if a++; a == len(t.A) {
						return endPos(t, limit)
					}
				}
			}
		}
	}
	if row >= limit {
		return endPos(t, limit)
	}
	return tilePos{a, b, row}
}

// endPos is the place of limit, which may be past the last row.
func endPos(t *tile.Tile, limit int) tilePos {
	if limit >= t.Len() {
		return tilePos{len(t.A), len(t.B), t.Len()}
	}
	return posOf(t, limit)
}
