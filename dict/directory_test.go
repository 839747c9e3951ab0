package dict_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/alloctest"
	"github.com/rete-go/rete/internal/damage"
)

// ranged reads a directory as a ranged reader does: as little as it is asked for.
func ranged(t testing.TB, p []byte, first int64) (dict.Directory, error) {
	t.Helper()
	size := int64(len(p))
	grow := func(from int64, parse func(prefix []byte) (int64, error)) error {
		n := min(first, size-from)
		for {
			need, err := parse(p[from : from+n])
			if err != nil || need == 0 {
				return err
			}
			if need <= n || need > size-from {
				t.Fatalf("asked for %d bytes with %d of %d at hand", need, n, size-from)
			}
			n = need
		}
	}
	var h dict.Head
	var d dict.Directory
	err := grow(0, func(prefix []byte) (need int64, err error) {
		h, need, err = dict.ParseHead(prefix, size)
		return need, err
	})
	if err == nil {
		err = grow(h.Chunks, func(prefix []byte) (need int64, err error) {
			d, need, err = dict.ParseChunks(h, prefix, size)
			return need, err
		})
	}
	return d, err
}

func TestDirectory(t *testing.T) {
	want, p := write(t, dict.Options{Codec: dict.Zstd}, people(40000))
	whole, err := readDirectory(p)
	if err != nil {
		t.Fatal(err)
	}
	compare := func(name string, got dict.Directory) {
		t.Helper()
		if got.Terms != want.Terms || got.R != dict.R || got.Head != want.Head || got.End != want.End || len(got.Chunks) != len(want.Chunks) {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, e := range got.Chunks {
			w := want.Chunks[i]
			if string(e.First) != string(w.First) || e.Start != w.Start || e.Terms != w.Terms || e.Off != w.Off || e.Len != w.Len {
				t.Errorf("%s: chunk %d: %+v, want %+v", name, i, e, w)
			}
		}
	}
	compare("whole", whole)
	for first := range int64(20) {
		d, err := ranged(t, p, first)
		if err != nil {
			t.Fatal(err)
		}
		compare("ranged", d)
	}
}

func TestDamagedPayload(t *testing.T) {
	terms := people(90)
	_, p := write(t, dict.Options{}, terms)
	for n := range p {
		if got, err := read(p[:n], dict.Raw); !errors.Is(err, damage.Err) {
			t.Errorf("cut at %d: %d terms, error %v", n, len(got), err)
		}
	}
	d, err := readDirectory(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p {
		bad := slices.Clone(p)
		bad[i] ^= 1
		got, err := read(bad, dict.Raw)
		if err == nil && int64(i) < d.Head && !slices.Equal(got, terms) {
			t.Errorf("byte %d of the directory flipped: other terms", i)
		}
		if err != nil && !errors.Is(err, damage.Err) {
			t.Errorf("byte %d flipped: error %v", i, err)
		}
	}
}

func TestMalformedDirectories(t *testing.T) {
	cases := map[string]string{
		"nothing":                    "",
		"4 G terms and no runs":      "07 ff ff ff ff 0f 10 00 00",
		"over 32 bits of terms":      "0a 80 80 80 80 10 10 01 00 01 00 01 00 02 00 00",
		"runs of 0":                  "04 01 00 01 00 01 00 01 61 03 00 01 61",
		"a wrong number of runs":     "05 01 10 02 00 03 01 00 01 61 03 00 01 61",
		"more runs than bytes":       "09 ff ff ff ff 0f 01 ff ff 03 00",
		"a header beyond the end":    "7f 01 10 01 00 01 00 01 61 03 00 01 61",
		"a header too short":         "02 01 10 01 00 01 00 01 61 03 00 01 61",
		"no chunks for a run":        "04 01 10 01 00 00",
		"a chunk for no runs":        "03 00 10 00 01 00 01 61 03 00 01 61",
		"more chunks than bytes":     "04 01 10 01 00 7f 00 01 61 03 00 01 61",
		"a first chunk not at run 0": "05 02 01 02 00 03 01 01 01 61 06 00 01 61 00 01 62",
		"a chunk at a run twice":     "05 02 01 02 00 03 02 00 01 61 03 00 01 62 03 00 01 61 00 01 62",
		"a chunk after the runs":     "05 02 01 02 00 03 02 00 01 61 03 02 01 62 03 00 01 61 00 01 62",
		"first terms that descend":   "05 02 01 02 00 03 02 00 01 62 03 01 01 61 03 00 01 62 00 01 61",
		"a chunk of no bytes":        "04 01 10 01 00 01 00 01 61 00 00 01 61",
		"a chunk beyond the end":     "04 01 10 01 00 01 00 01 61 04 00 01 61",
		"a first term beyond":        "04 01 10 01 00 01 00 7f 61 03 00 01 61",
		"a length of 2^63":           "04 01 10 01 00 01 00 80 80 80 80 80 80 80 80 80 01 61",
	}
	for name, hex := range cases {
		p := unhex(t, hex)
		alloctest.Ceiling(t, 64<<10, func() {
			if _, err := readDirectory(p); !errors.Is(err, damage.Err) {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
}

func FuzzDirectory(f *testing.F) {
	_, p := write(f, dict.Options{Codec: dict.Zstd}, people(3000))
	f.Add(p[:min(len(p), 2000)], int64(len(p)))
	_, p = write(f, dict.Options{}, people(40))
	f.Add(p, int64(len(p)))
	f.Fuzz(func(t *testing.T, prefix []byte, size int64) {
		size = max(size, int64(len(prefix)))
		alloctest.Ceiling(t, 64<<10+uint64(len(prefix))*96, func() {
			h, need, err := dict.ParseHead(prefix, size)
			if err != nil && !errors.Is(err, damage.Err) {
				t.Errorf("error %v does not say damage", err)
			}
			if err != nil || need != 0 {
				return
			}
			rest := prefix[min(h.Chunks, int64(len(prefix))):]
			d, need, err := dict.ParseChunks(h, rest, size)
			if err != nil && !errors.Is(err, damage.Err) {
				t.Errorf("error %v does not say damage", err)
			}
			if need != 0 && need <= int64(len(rest)) {
				t.Errorf("asked for %d bytes with %d at hand", need, len(rest))
			}
			total := uint64(0)
			for _, e := range d.Chunks {
				total += uint64(e.Terms)
				if e.Off < d.Head || e.Off+int64(e.Len) > d.End || e.Terms == 0 {
					t.Errorf("entry %+v", e)
				}
			}
			if len(d.Chunks) > 0 && total != uint64(d.Terms) {
				t.Errorf("%d terms in chunks, %d in all", total, d.Terms)
			}
		})
	})
}
