package tile_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/tile"
)

// unhex reads hex bytes, spaces ignored.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rowsOf lists the rows of a tile.
func rowsOf(t *tile.Tile) [][3]uint32 {
	var rows [][3]uint32
	j, k := uint32(0), uint32(0)
	for i, a := range t.A {
		for ; j < t.AEnd[i]; j++ {
			for ; k < t.BEnd[j]; k++ {
				rows = append(rows, [3]uint32{a, t.B[j], t.C[k]})
			}
		}
	}
	return rows
}

// written is the result of a writer run.
type written struct {
	entries []tile.Entry
	stored  [][]byte
	tiles   []byte
}

// failer is what helpers need of a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func write(t failer, opt tile.Options, rows [][3]uint32) written {
	t.Helper()
	var out written
	w := tile.NewWriter(opt, func(stored []byte, e tile.Entry) error {
		out.stored = append(out.stored, slices.Clone(stored))
		out.tiles = append(out.tiles, stored...)
		return nil
	})
	var cols [3][]uint32
	for _, r := range rows {
		for k := range cols {
			cols[k] = append(cols[k], r[k])
		}
	}
	// Some rows one by one, the others as columns.
	for i := 0; i < len(rows); {
		n := min(len(rows)-i, 1+i%1000)
		err := w.Add(rows[i][0], rows[i][1], rows[i][2])
		if err == nil {
			err = w.AddColumns(cols[0][i+1:i+n], cols[1][i+1:i+n], cols[2][i+1:i+n])
		}
		if err != nil {
			t.Fatal(err)
		}
		i += n
	}
	var err error
	if out.entries, err = w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out
}

// sortRows sorts and removes duplicates.
func sortRows(rows [][3]uint32) [][3]uint32 {
	slices.SortFunc(rows, func(x, y [3]uint32) int { return slices.Compare(x[:], y[:]) })
	return slices.Compact(rows)
}

// randomRows makes n rows before duplicates go; the bounds say how the ids spread.
func randomRows(r *rand.Rand, n int, maxA, maxB, maxC uint32) [][3]uint32 {
	rows := make([][3]uint32, n)
	for i := range rows {
		rows[i] = [3]uint32{1 + r.Uint32N(maxA), 1 + r.Uint32N(maxB), 1 + r.Uint32N(maxC)}
	}
	return sortRows(rows)
}

// The two vectors of the tile section of the format description.
var vectors = []struct {
	name, raw string
	rows      [][3]uint32
}{
	{"one row", "01 01 02 02 03 03 01  01  01 01 02 01 03", [][3]uint32{{1, 2, 3}}},
	{"four rows", "01 03 01 04 01 05 04  02  01 02 02 02 03 02 02 01 01  02 01 01 01 02",
		[][3]uint32{{1, 2, 3}, {1, 2, 5}, {1, 4, 1}, {3, 1, 2}}},
	{"five-byte ids", "ffffffff0f ffffffff0f ffffffff0f ffffffff0f ffffffff0f ffffffff0f 01 01 ffffffff0f 01 ffffffff0f 01 ffffffff0f",
		[][3]uint32{{1<<32 - 1, 1<<32 - 1, 1<<32 - 1}}},
}

// payloadOf returns the whole payload of an order: directory, stored tiles and synopsis.
func payloadOf(entries []tile.Entry, tiles []byte) []byte {
	return tile.AppendSynopsis(append(tile.AppendDirectory(nil, entries), tiles...), entries)
}

func TestVectors(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			raw := unhex(t, v.raw)
			var d tile.Tile
			if err := tile.Decode(raw, &d); err != nil {
				t.Fatal(err)
			}
			if got := rowsOf(&d); !slices.Equal(got, v.rows) {
				t.Errorf("rows %v, want %v", got, v.rows)
			}
			if got := tile.AppendTile(nil, &d); string(got) != string(raw) {
				t.Errorf("encoded % x, want % x", got, raw)
			}
			out := write(t, tile.Options{}, v.rows)
			if len(out.stored) != 1 || string(out.stored[0]) != string(raw) {
				t.Errorf("written % x, want % x", out.stored, raw)
			}
		})
	}
}

// The index of the worked example: two triples, six orders.
func TestWorkedExample(t *testing.T) {
	triples := [][3]uint32{{1, 2, 3}, {2, 1, 1}}
	want := []string{
		"01 01 01 12   01 02 01 02 01 03 02  02  01 01 02 01 03  01 01 01 01 01   01 01 01 02",
		"01 01 01 12   01 02 01 03 01 02 02  02  01 01 01 01 02  01 01 03 01 01   01 02 01 01",
		"01 01 02 12   01 03 01 02 01 02 02  02  01 01 02 01 01  02 01 01 01 02   01 01 01 01",
		"01 01 01 12   01 02 01 03 01 02 02  02  01 01 03 01 02  01 01 01 01 01   01 02 01 01",
		"01 01 01 12   01 02 01 02 01 03 02  02  01 01 02 01 01  01 01 01 01 03   01 01 01 02",
		"01 01 02 12   01 03 01 02 01 02 02  02  01 01 01 01 02  02 01 02 01 01   01 01 01 01",
	}
	for o := tile.SPO; o < tile.NumOrders; o++ {
		var rows [][3]uint32
		for _, tr := range triples {
			rows = append(rows, o.Permute(tr))
		}
		out := write(t, tile.Options{}, sortRows(rows))
		got := payloadOf(out.entries, out.tiles)
		if w := unhex(t, want[o]); string(got) != string(w) {
			t.Errorf("%v: % x, want % x", o, got, w)
		}
		entries, err := tile.ReadDirectory(got, true)
		if err != nil || len(entries) != 1 || entries[0].Off != 4 || !entries[0].HasSynopsis {
			t.Errorf("%v: directory %v, %v", o, entries, err)
		}
	}
	out := write(t, tile.Options{}, [][3]uint32{{2, 2, 2}})
	if got, want := payloadOf(out.entries, out.tiles), unhex(t, "01 02 00 0d   02 02 02 02 02 02 01  01  02 01 02 01 02   02 00 02 00"); string(got) != string(want) {
		t.Errorf("named graph: % x, want % x", got, want)
	}
	if got := payloadOf(nil, nil); string(got) != "\x00" {
		t.Errorf("empty graph: % x", got)
	}
}

func TestOrders(t *testing.T) {
	for o := tile.SPO; o < tile.NumOrders; o++ {
		tr := [3]uint32{7, 8, 9}
		if got := o.Restore(o.Permute(tr)); got != tr {
			t.Errorf("%v: %v", o, got)
		}
	}
	cases := []struct {
		s, p, o bool
		want    tile.Order
	}{
		{false, false, false, tile.SPO}, {true, false, false, tile.SPO}, {false, true, false, tile.POS},
		{false, false, true, tile.OSP}, {true, true, false, tile.SPO}, {false, true, true, tile.POS},
		{true, false, true, tile.OSP}, {true, true, true, tile.SPO},
	}
	for _, c := range cases {
		if got := tile.Choose(c.s, c.p, c.o); got != c.want {
			t.Errorf("Choose(%v, %v, %v) = %v, want %v", c.s, c.p, c.o, got, c.want)
		}
	}
}
