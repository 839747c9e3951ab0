package tile_test

import (
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/rete-go/rete/tile"
)

// oneTile packs rows, which must fit, into one decoded tile.
func oneTile(t testing.TB, rows [][3]uint32) *tile.Tile {
	t.Helper()
	out := write(t, tile.Options{}, rows)
	if len(out.stored) != 1 {
		t.Fatalf("%d tiles", len(out.stored))
	}
	var d tile.Tile
	if err := tile.Decode(out.stored[0], &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

func accessCases() map[string][][3]uint32 {
	r := rand.New(rand.NewPCG(7, 8))
	return map[string][][3]uint32{
		"one row":       {{3, 4, 5}},
		"one c per b":   sortRows([][3]uint32{{1, 1, 9}, {1, 2, 8}, {2, 1, 7}, {2, 5, 1}, {9, 9, 9}}),
		"mixed":         randomRows(r, 2000, 30, 10, 40),
		"long c groups": randomRows(r, 5000, 3, 3, 5000),
		"sparse":        randomRows(r, 2000, 1<<20, 1<<20, 1<<20),
	}
}

func TestAccess(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for name, rows := range accessCases() {
		t.Run(name, func(t *testing.T) {
			d := oneTile(t, rows)
			for i, want := range rows {
				a, b, c := d.Row(i)
				if got := [3]uint32{a, b, c}; got != want {
					t.Fatalf("row %d is %v, want %v", i, got, want)
				}
			}
			for range 500 {
				from := r.IntN(len(rows))
				n := r.IntN(len(rows) - from + 1)
				a, b, c := make([]uint32, n), make([]uint32, n), make([]uint32, n)
				d.Fill(from, a, b, c)
				d.Fill(from, nil, nil, nil)
				onlyA, onlyB, onlyC := make([]uint32, n), make([]uint32, n), make([]uint32, n)
				d.Fill(from, onlyA, nil, nil)
				d.Fill(from, nil, onlyB, nil)
				d.Fill(from, nil, nil, onlyC)
				for i := range n {
					if got := [3]uint32{a[i], b[i], c[i]}; got != rows[from+i] {
						t.Fatalf("Fill(%d) row %d: %v, want %v", from, i, got, rows[from+i])
					}
				}
				if !slices.Equal(a, onlyA) || !slices.Equal(b, onlyB) || !slices.Equal(c, onlyC) {
					t.Fatalf("Fill(%d, %d): single columns differ", from, n)
				}
			}
		})
	}
}

func TestSeek(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for name, rows := range accessCases() {
		t.Run(name, func(t *testing.T) {
			d := oneTile(t, rows)
			key := func() [3]uint32 {
				k := rows[r.IntN(len(rows))]
				for i := range k {
					switch r.IntN(6) {
					case 0:
						k[i]++
					case 1:
						k[i]--
					case 2:
						k[i] = 0
					case 3:
						k[i] = 1<<32 - 1
					}
				}
				return k
			}
			lowerBound := func(k [3]uint32) int {
				return sort.Search(len(rows), func(i int) bool { return slices.Compare(rows[i][:], k[:]) >= 0 })
			}
			for range 2000 {
				k := key()
				if got, want := d.SeekRow(k[0], k[1], k[2]), lowerBound(k); got != want {
					t.Fatalf("SeekRow(%v) = %d, want %d", k, got, want)
				}
			}
			for range 50 {
				var cur tile.Cursor
				cur.Reset(d)
				at := 0
				for steps := 0; steps < 200 && cur.Valid(); steps++ {
					if a, b, c := cur.Row(); rows[at] != [3]uint32{a, b, c} || cur.RowNumber() != at {
						t.Fatalf("cursor at %d on %d %d %d, want %v", cur.RowNumber(), a, b, c, rows[at])
					}
					var more bool
					if r.IntN(2) == 0 {
						more = cur.Next()
						at++
					} else {
						k := key()
						more = cur.Seek(k[0], k[1], k[2])
						at = max(at, lowerBound(k))
					}
					if more != (at < len(rows)) || cur.RowNumber() != at {
						t.Fatalf("cursor at %d, %v, want %d", cur.RowNumber(), more, at)
					}
				}
			}
		})
	}
	var none tile.Cursor
	if none.Valid() || none.Seek(1, 1, 1) {
		t.Error("a cursor without a tile is valid")
	}
}
