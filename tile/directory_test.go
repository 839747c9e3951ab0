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

// payload is an order of several tiles.
func payload(t testing.TB, c tile.Codec) ([]byte, []tile.Entry) {
	out := write(t, tile.Options{Codec: c}, randomRows(rand.New(rand.NewPCG(19, 20)), 100000, 5000, 30, 100000))
	if len(out.entries) < 3 {
		t.Fatalf("%d tiles", len(out.entries))
	}
	return payloadOf(out.entries, out.tiles), out.entries
}

// ranged reads a directory as a ranged reader does: as little as it is asked for.
func ranged(t testing.TB, p []byte, first int64) (tile.Directory, int, error) {
	n := min(first, int64(len(p)))
	for calls := 1; ; calls++ {
		d, need, err := tile.ParseDirectory(p[:n], int64(len(p)))
		if err != nil || need == 0 {
			return d, calls, err
		}
		if need <= n || need > int64(len(p)) {
			t.Fatalf("asked for %d bytes with %d of %d at hand", need, n, len(p))
		}
		n = need
	}
}

func TestDirectory(t *testing.T) {
	p, want := payload(t, tile.Zstd)
	entries, err := tile.ReadDirectory(p, true)
	if err != nil {
		t.Fatal(err)
	}
	head := entries[0].Off
	for i, e := range want {
		e.Off += head
		e.RawLen, e.Rows = 0, 0 // not in a directory
		if entries[i] != e {
			t.Errorf("tile %d: %+v, want %+v", i, entries[i], e)
		}
	}
	for first := range int64(20) {
		d, _, err := ranged(t, p, first)
		if err != nil || d.Tiles != head || len(d.Entries) != len(entries) {
			t.Fatalf("from %d bytes: %v, %v", first, d, err)
		}
		if d.Entries[0].HasSynopsis {
			t.Error("bounds of b without a synopsis")
		}
		if !d.ParseSynopsis(p[d.End:]) || !slices.Equal(d.Entries, entries) {
			t.Errorf("from %d bytes: %v", first, d)
		}
	}
	plain, err := tile.ReadDirectory(p, false)
	if err != nil || plain[0].HasSynopsis || len(plain) != len(entries) {
		t.Errorf("without synopsis: %v", err)
	}
}

// A synopsis that is cut, too long or out of range is not used, and no error.
func TestBadSynopsis(t *testing.T) {
	p, _ := payload(t, tile.Zstd)
	d, _, err := tile.ParseDirectory(p, int64(len(p)))
	if err != nil {
		t.Fatal(err)
	}
	trailer := p[d.End:]
	for n := range trailer {
		if d.ParseSynopsis(trailer[:n]) {
			t.Errorf("cut at %d: taken", n)
		}
	}
	if d.ParseSynopsis(append(slices.Clone(trailer), 0)) {
		t.Error("a trailing byte: taken")
	}
	if d.ParseSynopsis(append([]byte{0xff, 0xff, 0xff, 0xff, 0x1f}, trailer[1:]...)) {
		t.Error("a bound over 32 bits: taken")
	}
	if d.Entries[0].HasSynopsis {
		t.Error("a refused synopsis left bounds behind")
	}
}

func TestDamagedDirectory(t *testing.T) {
	p, _ := payload(t, tile.Raw)
	d, _, err := tile.ParseDirectory(p, int64(len(p)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range d.Tiles {
		if _, err := tile.ReadDirectory(p[:n], true); !errors.Is(err, damage.Err) {
			t.Errorf("cut at %d: error %v", n, err)
		}
	}
	if _, err := tile.ReadDirectory(p[:d.End-1], true); !errors.Is(err, damage.Err) {
		t.Errorf("cut in the last tile: error %v", err)
	}
	// Each flipped byte of directory and synopsis shows, at the latest when the
	// tile is read and compared.
	for i := range p {
		if int64(i) >= d.Tiles && int64(i) < d.End {
			continue
		}
		bad := slices.Clone(p)
		bad[i] ^= 1
		entries, err := tile.ReadDirectory(bad, true)
		for k := 0; k < len(entries) && err == nil; k++ {
			e := &entries[k]
			if !e.HasSynopsis {
				err = errors.New("no synopsis")
				break
			}
			var tl tile.Tile
			if err = tile.Decode(bad[e.Off:e.Off+int64(e.Len)], &tl); err == nil {
				err = e.Check(&tl)
			}
		}
		if err == nil {
			t.Errorf("byte %d flipped: not seen", i)
		}
	}
}

func TestMalformedDirectories(t *testing.T) {
	cases := map[string]string{
		"nothing":                 "",
		"4 G tiles":               "ff ff ff ff 0f 01 00 01",
		"a number of 11 bytes":    "80 80 80 80 80 80 80 80 80 80 00",
		"an id 0":                 "01 00 00 01 00",
		"min a over 32 bits":      "01 ff ff ff ff 1f 00 01 00",
		"max a over 32 bits":      "01 ff ff ff ff 0f 01 01 00",
		"max a descends":          "02 01 05 01 01 03 01 00 00",
		"a tile of no bytes":      "01 01 00 00",
		"a tile beyond the end":   "01 01 00 02 00",
		"tiles beyond the end":    "02 01 00 01 01 00 02 00 00",
		"a tile of 2^63 bytes":    "01 01 00 80 80 80 80 80 80 80 80 80 01 00",
		"a directory cut in half": "02 01 00 01",
	}
	for name, hex := range cases {
		p := unhex(t, hex)
		alloctest.Ceiling(t, 64<<10, func() {
			if _, err := tile.ReadDirectory(p, true); !errors.Is(err, damage.Err) {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
}

func FuzzDirectory(f *testing.F) {
	p, _ := payload(f, tile.Zstd)
	d, _, _ := tile.ParseDirectory(p, int64(len(p)))
	f.Add(p[:d.Tiles+20], int64(len(p)))
	f.Add(payloadOf(nil, nil), int64(1))
	f.Fuzz(func(t *testing.T, prefix []byte, size int64) {
		alloctest.Ceiling(t, 64<<10+uint64(len(prefix))*32, func() {
			d, need, err := tile.ParseDirectory(prefix, max(size, int64(len(prefix))))
			if err != nil && !errors.Is(err, damage.Err) {
				t.Errorf("error %v does not say damage", err)
			}
			if need != 0 && need <= int64(len(prefix)) {
				t.Errorf("asked for %d bytes with %d at hand", need, len(prefix))
			}
			for _, e := range d.Entries {
				if e.Off < d.Tiles || e.Off+int64(e.Len) > d.End || e.MinA == 0 || e.MaxA < e.MinA {
					t.Errorf("entry %+v", e)
				}
			}
			d.ParseSynopsis(prefix)
		})
	})
}
