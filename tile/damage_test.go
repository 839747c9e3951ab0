package tile_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/alloctest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/tile"
)

// mustBeSound decodes raw and checks that the result is an error that says
// damage, or rows in strict order that encode to a tile of the same rows.
func mustBeSound(t *testing.T, raw []byte) error {
	t.Helper()
	var d tile.Tile
	err := tile.Decode(raw, &d)
	if err != nil {
		if !errors.Is(err, damage.Err) {
			t.Fatalf("% x: error %v does not say damage", raw, err)
		}
		if d.Len() != 0 {
			t.Fatalf("% x: rows in spite of %v", raw, err)
		}
		return err
	}
	rows := rowsOf(&d)
	if len(rows) != d.Len() || len(rows) == 0 || !slices.IsSortedFunc(rows, func(x, y [3]uint32) int {
		if c := slices.Compare(x[:], y[:]); c != 0 {
			return c
		}
		return 1 // equal rows are disorder
	}) {
		t.Fatalf("% x: rows %v", raw, rows)
	}
	again := tile.AppendTile(nil, &d)
	var e tile.Tile
	if err := tile.Decode(again, &e); err != nil || !slices.Equal(rowsOf(&e), rows) {
		t.Fatalf("% x: encoded again: %v", raw, err)
	}
	return nil
}

func TestDamagedTile(t *testing.T) {
	raw := write(t, tile.Options{}, randomRows(rand.New(rand.NewPCG(13, 14)), 60, 10, 300, 70000)).stored[0]
	if err := mustBeSound(t, raw); err != nil {
		t.Fatal(err)
	}
	for n := range raw {
		if mustBeSound(t, raw[:n]) == nil {
			t.Errorf("cut at %d: no error", n)
		}
	}
	for i := range raw {
		for bit := range 8 {
			bad := slices.Clone(raw)
			bad[i] ^= 1 << bit
			mustBeSound(t, bad)
		}
	}
}

func TestMalformedTiles(t *testing.T) {
	cases := map[string]string{
		"nothing":                  "",
		"no rows":                  "00 00 00 00 00 00 00 00",
		"a six-byte number":        "81 80 80 80 80 00 01 02 02 03 03 01 01 01 01 02 01 03",
		"a number over 32 bits":    "ff ff ff ff 1f 01 02 02 03 03 01 01 01 01 02 01 03",
		"a trailing byte":          "01 01 02 02 03 03 01 01 01 01 02 01 03 00",
		"a wrong min a":            "02 01 02 02 03 03 01 01 01 01 02 01 03",
		"a wrong max a":            "01 02 02 02 03 03 01 01 01 01 02 01 03",
		"a wrong min b":            "01 01 01 02 03 03 01 01 01 01 02 01 03",
		"a wrong max b":            "01 01 02 03 03 03 01 01 01 01 02 01 03",
		"a wrong min c":            "01 01 02 02 02 03 01 01 01 01 02 01 03",
		"a wrong max c":            "01 01 02 02 03 04 01 01 01 01 02 01 03",
		"too few rows":             "01 01 02 02 03 03 02 01 01 01 02 01 03",
		"too many rows":            "01 01 02 02 03 04 01 01 01 01 02 02 03 01",
		"an id 0":                  "00 00 02 02 03 03 01 01 00 01 02 01 03",
		"a repeated a":             "01 01 02 02 03 03 02 02 01 01 02 01 03 00 01 02 01 03",
		"a repeated b":             "01 01 02 02 03 03 02 01 01 02 02 01 03 00 01 03",
		"a repeated c":             "01 01 02 02 03 03 02 01 01 01 02 02 03 00",
		"a group without b":        "01 01 02 02 03 03 01 02 01 00 01 01 02 01 03",
		"a b without rows":         "01 01 02 03 03 03 01 01 01 02 02 00 01 01 03",
		"an overflow of c":         "01 01 02 02 03 03 02 01 01 01 02 02 03 ff ff ff ff 0f",
		"a count of 4 G rows":      "01 01 02 02 03 03 ff ff ff ff 0f 01 01 01 02 01 03",
		"a count of 4 G groups":    "01 01 02 02 03 03 01 ff ff ff ff 0f 01 01 02 01 03",
		"a count of 4 G second":    "01 01 02 02 03 03 01 01 01 ff ff ff ff 0f 02 01 03",
		"a count of 4 G third":     "01 01 02 02 03 03 01 01 01 01 02 ff ff ff ff 0f 03",
		"a row cut in its numbers": "01 01 02 02 03 03 01 01 01 01 02 01 83",
	}
	for name, hex := range cases {
		raw := unhex(t, hex)
		alloctest.Ceiling(t, 64<<10, func() {
			if mustBeSound(t, raw) == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
	// A padded number is not canonical, and not damage.
	if err := mustBeSound(t, unhex(t, "81 00 01 02 02 03 03 01 01 01 01 02 01 03")); err != nil {
		t.Errorf("a padded number: %v", err)
	}
}

func TestDecodeReusesMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	large := write(t, tile.Options{}, randomRows(r, 3000, 100, 20, 1000)).stored[0]
	small := write(t, tile.Options{}, randomRows(r, 300, 20, 20, 1000)).stored[0]
	var d tile.Tile
	if err := tile.Decode(large, &d); err != nil {
		t.Fatal(err)
	}
	least := 100.0 // the race detector makes pools drop at random
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, func() {
			if err := tile.Decode(small, &d); err != nil {
				t.Fatal(err)
			}
		}))
	}
	if least > 0 {
		t.Errorf("%v allocations", least)
	}
	var fresh tile.Tile
	if err := tile.Decode(large, &fresh); err != nil {
		t.Fatal(err)
	}
	if want := int64(4 * (2*len(fresh.A) + 2*len(fresh.B) + len(fresh.C))); fresh.Bytes() != want {
		t.Errorf("%d bytes held, want %d", fresh.Bytes(), want)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors {
		f.Add(unhex(f, v.raw))
	}
	r := rand.New(rand.NewPCG(17, 18))
	f.Add(write(f, tile.Options{}, randomRows(r, 200, 1<<20, 30, 1<<30)).stored[0])
	f.Fuzz(func(t *testing.T, raw []byte) {
		alloctest.Ceiling(t, 128<<10+uint64(len(raw))*24, func() {
			var d tile.Tile
			_ = tile.Decode(raw, &d)
		})
		mustBeSound(t, raw)
	})
}
