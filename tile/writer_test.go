package tile_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/tile"
)

func uvLen(v uint32) int { return len(binary.AppendUvarint(nil, uint64(v))) }

// naiveCut is the cutting rule of the format description, line by line; the sum
// in it is kept as three parts. It returns where each tile ends.
func naiveCut(t [][3]uint32) (ends []int) {
	const T = 65536
	start, size, prev, i := 0, 0, uint32(0), 0
	for i < len(t) {
		a, from, base := t[i][0], i, prev
		cost := 0
		var numB, numC, b, c uint32
		var closed, sumC, lenB int // finished b; len of dc, and of db, of the open b
		for i < len(t) && t[i][0] == a {
			if from == i || t[i][1] != b {
				if from != i {
					closed += lenB + uvLen(numC) + sumC
				}
				lenB = uvLen(t[i][1] - b)
				b, c, numC, sumC = t[i][1], 0, 0, 0
				numB++
			}
			sumC += uvLen(t[i][2] - c)
			c = t[i][2]
			numC++
			i++
			cost = uvLen(a-base) + uvLen(numB) + closed + lenB + uvLen(numC) + sumC
			if cost > T {
				ends = append(ends, i)
				start, size, prev = i, 0, a
				from, base, cost = i, a, 0
				numB, numC, b, c, closed, sumC, lenB = 0, 0, 0, 0, 0, 0, 0
			}
		}
		if from == i {
			continue
		}
		if from > start && size+cost > T {
			ends = append(ends, from)
			start, size = from, 0
		}
		size += cost
		prev = a
	}
	if start < len(t) {
		ends = append(ends, len(t))
	}
	return ends
}

// checkCut writes rows and compares the tiles with the naive rule.
func checkCut(t testing.TB, rows [][3]uint32) {
	t.Helper()
	out := write(t, tile.Options{}, rows)
	ends := naiveCut(rows)
	if len(ends) != len(out.stored) {
		t.Fatalf("%d tiles, want %d", len(out.stored), len(ends))
	}
	start, offset := 0, int64(0)
	for k, end := range ends {
		var d tile.Tile
		if err := tile.Decode(out.stored[k], &d); err != nil {
			t.Fatalf("tile %d: %v", k, err)
		}
		if !slices.Equal(rowsOf(&d), rows[start:end]) {
			t.Fatalf("tile %d does not hold rows %d to %d", k, start, end)
		}
		e := out.entries[k]
		if err := e.Check(&d); err != nil || e.Off != offset || int(e.Len) != len(out.stored[k]) || e.RawLen != e.Len || int(e.Rows) != end-start {
			t.Fatalf("tile %d: entry %+v, %v", k, e, err)
		}
		start, offset = end, offset+int64(e.Len)
	}
}

func TestCutting(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seq := func(n int, f func(i uint32) [3]uint32) [][3]uint32 {
		rows := make([][3]uint32, n)
		for i := range rows {
			rows[i] = f(uint32(i))
		}
		return sortRows(rows)
	}
	cases := map[string][][3]uint32{
		"empty":            nil,
		"one group of one": seq(90000, func(i uint32) [3]uint32 { return [3]uint32{5, 9, 1 + i} }),
		"one group, each its own b": seq(60000, func(i uint32) [3]uint32 {
			return [3]uint32{5, 1 + i*3, 1 + i%7}
		}),
		"many small groups":  seq(60000, func(i uint32) [3]uint32 { return [3]uint32{1 + i, 1 + i%11, 1 + i%13} }),
		"a large step of a":  seq(40000, func(i uint32) [3]uint32 { return [3]uint32{1 + i*90000, 1 << 30, 1<<31 + i} }),
		"random small":       randomRows(r, 3000, 50, 20, 1000),
		"random wide":        randomRows(r, 60000, 1<<31, 1<<31, 1<<31),
		"random dense":       randomRows(r, 200000, 300, 30, 300),
		"few large groups":   randomRows(r, 120000, 4, 1000, 1<<20),
		"groups near target": randomRows(r, 200000, 10, 10, 1<<24),
	}
	// Groups that end exactly at, and around, the target.
	for _, n := range []int{21840, 21841, 21842, 21843, 21844, 21845, 21846, 65528, 65529, 65530, 65531, 65532, 65533, 65534} {
		small := seq(n, func(i uint32) [3]uint32 { return [3]uint32{1, 1, 1 + i} })
		pairs := seq(n, func(i uint32) [3]uint32 { return [3]uint32{2, 1 + i, 1} })
		rest := seq(30, func(i uint32) [3]uint32 { return [3]uint32{3 + i%3, 1, 1 + i} })
		cases["exact "+string(rune('a'+len(cases)))] = slices.Concat(small, pairs, rest)
	}
	for name, rows := range cases {
		t.Run(name, func(t *testing.T) { checkCut(t, rows) })
	}
}

func TestCuttingRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		bound := func(name string) uint32 { return 1 << rapid.IntRange(0, 31).Draw(t, name) }
		n := rapid.SampledFrom([]int{10, 300, 20000}).Draw(t, "rows")
		rows := randomRows(r, n, bound("a"), bound("b"), bound("c"))
		if rapid.Bool().Draw(t, "with a large group") {
			for i := range uint32(30000) {
				rows = append(rows, [3]uint32{rows[0][0], rows[0][1] + i/100, 1 + i})
			}
			rows = sortRows(rows)
		}
		if len(naiveCut(rows)) == 0 {
			t.Fatal("no tiles")
		}
		out := write(t, tile.Options{Codec: tile.Zstd}, rows)
		var got [][3]uint32
		var ends []int
		for k, stored := range out.stored {
			raw, err := codec.Decompress(tile.Zstd, nil, stored, int(out.entries[k].RawLen))
			if err != nil {
				t.Fatal(err)
			}
			var d tile.Tile
			if err := tile.Decode(raw, &d); err != nil {
				t.Fatal(err)
			}
			got = append(got, rowsOf(&d)...)
			ends = append(ends, len(got))
		}
		if !slices.Equal(got, rows) || !slices.Equal(ends, naiveCut(rows)) {
			t.Fatalf("tiles end at %v, want %v", ends, naiveCut(rows))
		}
	})
}

func TestWriterRefusesDisorder(t *testing.T) {
	cases := map[string][][3]uint32{
		"equal":        {{1, 2, 3}, {1, 2, 3}},
		"c descends":   {{1, 2, 3}, {1, 2, 2}},
		"b descends":   {{1, 2, 3}, {1, 1, 9}},
		"a descends":   {{2, 2, 3}, {1, 9, 9}},
		"zero a":       {{0, 1, 1}},
		"zero b":       {{1, 0, 1}},
		"zero c":       {{1, 1, 0}},
		"zero b later": {{1, 1, 1}, {2, 0, 1}},
	}
	for name, rows := range cases {
		w := tile.NewWriter(tile.Options{}, func([]byte, tile.Entry) error { return nil })
		var err error
		for _, r := range rows {
			err = w.Add(r[0], r[1], r[2])
		}
		if !errors.Is(err, tile.ErrOrder) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := w.Finish(); !errors.Is(err, tile.ErrOrder) {
			t.Errorf("%s: Finish: error %v", name, err)
		}
		w = tile.NewWriter(tile.Options{}, func([]byte, tile.Entry) error { return nil })
		var cols [3][]uint32
		for _, r := range rows {
			for k := range cols {
				cols[k] = append(cols[k], r[k])
			}
		}
		if err := w.AddColumns(cols[0], cols[1], cols[2]); !errors.Is(err, tile.ErrOrder) {
			t.Errorf("%s: AddColumns: error %v", name, err)
		}
	}
}

func TestWriterStopsOnEmitError(t *testing.T) {
	full := errors.New("disk full")
	w := tile.NewWriter(tile.Options{}, func([]byte, tile.Entry) error { return full })
	w.Add(1, 1, 1)
	if _, err := w.Finish(); err != full {
		t.Errorf("error %v", err)
	}
	if err := w.Add(2, 1, 1); err != full {
		t.Errorf("Add after the error: %v", err)
	}
}
