package segment_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
)

const xsd = "http://www.w3.org/2001/XMLSchema#"

// valueQuads are n quads with numbers, dates and other objects.
func valueQuads(r *rand.Rand, n int) []quad {
	var out []quad
	for i := range n {
		o := fmt.Sprintf(`"%d"^^<%sinteger>`, r.IntN(1<<20)-1<<19, xsd)
		switch r.IntN(4) {
		case 0:
			o = fmt.Sprintf(`"%d-%02d-%02d"^^<%sdate>`, r.IntN(3000), 1+r.IntN(12), 1+r.IntN(28), xsd)
		case 1:
			o = fmt.Sprintf(`"text %d"`, r.IntN(100))
		}
		out = append(out, quad{fmt.Sprintf("<http://ex/s%d>", i), "<http://ex/p>", o, ""})
	}
	return out
}

// index is what both kinds of value index can do.
type index interface {
	Len(c valuekey.Class) uint64
}

// checkValues compares the value index of a segment with its dictionary.
func checkValues(t *testing.T, s *segment.Segment) {
	t.Helper()
	ctx := t.Context()
	v, err := s.Values(ctx)
	if err != nil || v == nil {
		t.Fatalf("no value index: %v", err)
	}
	made, err := s.MadeValues(ctx)
	if err != nil || made == nil {
		t.Fatalf("none is made: %v", err)
	}
	keys := map[uint32]valuekey.Key{}
	var count [valuekey.Classes]uint64
	terms := s.AllTerms(segment.ObjectOnly)
	classes := map[uint32]valuekey.Class{}
	for id := uint32(1); id <= s.Counts().Objects; id++ {
		term, err := terms.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if c, k, ok := valuekey.Of(term); ok {
			keys[id], classes[id] = k, c
			count[c]++
		}
	}
	for c := range valuekey.Class(valuekey.Classes) {
		for _, x := range []index{v, made} {
			if x.Len(c) != count[c] {
				t.Errorf("%d literals of the class %v, there are %d", x.Len(c), c, count[c])
			}
		}
		r := rand.New(rand.NewPCG(1, uint64(c)))
		var some []valuekey.Key
		for id, k := range keys {
			if classes[id] == c {
				some = append(some, k)
			}
		}
		slices.Sort(some)
		for range 20 {
			if len(some) == 0 {
				break
			}
			i := valuekey.Interval{Class: c, Lo: some[r.IntN(len(some))], Hi: some[r.IntN(len(some))]}
			from, to, err := v.Find(ctx, i)
			a, b, _ := made.Find(ctx, i)
			if err != nil || a != from || b != to {
				t.Fatalf("%v: places %d to %d, made ones %d to %d, %v", i, from, to, a, b, err)
			}
			found := map[uint32]bool{}
			if err := v.IDs(ctx, c, from, to, func(ids []uint32) {
				for _, id := range ids {
					found[id] = true
				}
			}); err != nil {
				t.Fatal(err)
			}
			wanted := 0
			for id, k := range keys {
				if classes[id] == c && i.Lo <= k && k <= i.Hi {
					wanted++
					if !found[id] {
						t.Fatalf("%v: id %d with key %d is missing", i, id, k)
					}
				}
			}
			if len(found) >= wanted+2*valueindex.Block+1 {
				t.Errorf("%v: %d ids for %d", i, len(found), wanted)
			}
		}
	}
}

// TestValues reads the value index of files with several pages, and of small ones.
func TestValues(t *testing.T) {
	for _, n := range []int{1, 3, 64, 700, 20_000} {
		for _, codec := range []segment.Codec{segment.ZstdCodec, segment.RawCodec} {
			qs := append(valueQuads(rand.New(rand.NewPCG(uint64(n), 1)), n), quad{"<http://ex/s>", "<http://ex/p>", `"NaN"^^<` + xsd + `double>`, ""})
			file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: codec}}, qs)
			s := open(t, file, &segment.Options{Pin: built.Pin()})
			checkValues(t, s)
			if err := s.Verify(t.Context(), nil); err != nil {
				t.Error(err)
			}
			without, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: codec, NoValues: true}}, qs)
			t.Logf("%d quads: %d bytes, %d without the index", n, len(file), len(without))
		}
	}
}

// TestNoValues opens files that have no value index: plain ones, such as have no
// values, such as are opened without a pin.
func TestNoValues(t *testing.T) {
	qs := valueQuads(rand.New(rand.NewPCG(1, 1)), 50)
	plain, pb := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Plain: true}}, qs)
	file, _ := build(t, nil, qs)
	none, nb := build(t, nil, exampleQuads)
	for name, s := range map[string]*segment.Segment{
		"plain": open(t, plain, &segment.Options{Pin: pb.Pin()}), "no pin": open(t, file, nil), "no values": open(t, none, &segment.Options{Pin: nb.Pin()}),
	} {
		if v, err := s.Values(t.Context()); v != nil || err != nil {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

// TestDamagedValues changes each byte of the value index: reading it is an error, or
// gives what it must.
func TestDamagedValues(t *testing.T) {
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec}}, valueQuads(rand.New(rand.NewPCG(2, 1)), 150))
	head, err := segment.ParseHeader(file[:segment.HeaderSize])
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []segment.Kind{segment.KindValues, segment.KindValuePages} {
		r := head.Section(k)
		for at := r.Offset; at < r.Offset+r.Length; at++ {
			hurt := bytes.Clone(file)
			hurt[at] ^= 1 << (at % 8)
			s, err := segment.Open(t.Context(), blob.Bytes("hurt", hurt), &segment.Options{Pin: built.Pin()})
			if err != nil {
				t.Fatal(err)
			}
			err = readValues(t, s)
			if !errors.Is(err, damage.Err) {
				t.Fatalf("byte %d of %v: %v", at-r.Offset, k, err)
			}
			s.Close()
		}
	}
}

func readValues(t *testing.T, s *segment.Segment) error {
	v, err := s.Values(t.Context())
	if err != nil {
		return err
	}
	for c := range valuekey.Class(valuekey.Classes) {
		if err := v.IDs(t.Context(), c, 0, v.Len(c), func([]uint32) {}); err != nil {
			return err
		}
	}
	return nil
}

// FuzzValues parses roots and pages that anybody may have made.
func FuzzValues(f *testing.F) {
	b := valueindex.NewBuilder(nil)
	for i := range uint32(200) {
		if err := b.Add(i+1, fmt.Appendf(nil, `"%d"^^<%sinteger>`, 1000-i, xsd)); err != nil {
			f.Fatal(err)
		}
	}
	var pages bytes.Buffer
	root, err := b.Write(f.Context(), &pages, 0, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(root.Append(nil), uint64(pages.Len()), 200)
	f.Add(pages.Bytes(), uint64(0), 200)
	f.Fuzz(func(t *testing.T, data []byte, size uint64, n int) {
		if r, err := valueindex.ParseRoot(data, size); err == nil && r != nil {
			if again := r.Append(nil); len(again) > len(data) {
				t.Errorf("%x gives %x", data, again)
			}
		}
		if l, err := valueindex.ParsePage(data, n, 0, 1<<20); err == nil && len(l.IDs) != n {
			t.Errorf("%d ids of %d", len(l.IDs), n)
		}
	})
}

// TestValuePage builds the worked example of docs/value-index.md and compares it
// with the bytes on that page.
func TestValuePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/value-index.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "## Worked example")
	if ok {
		_, example, ok = strings.Cut(example, "```\n")
	}
	if !ok {
		t.Fatal("no worked example on the page")
	}
	example, _, _ = strings.Cut(example, "```")
	var hex strings.Builder
	for line := range strings.Lines(example) {
		line, _, _ = strings.Cut(line, ";")
		hex.WriteString(line)
	}
	want := unhex(t, hex.String())
	var qs []quad
	for _, o := range []string{`"10"^^<` + xsd + `integer>`, `"9.5"^^<` + xsd + `decimal>`, `"NaN"^^<` + xsd + `double>`, `"1970-01-02"^^<` + xsd + `date>`, `"9"`} {
		qs = append(qs, quad{"<http://ex/a>", "<http://ex/p>", o, ""})
	}
	file, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec}}, qs)
	head, err := segment.ParseHeader(file[:segment.HeaderSize])
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, k := range []segment.Kind{segment.KindValuePages, segment.KindValues} {
		r := head.Section(k)
		got = append(got, file[r.Offset:r.Offset+r.Length]...)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}

// TestValueRootBound: no root of an index is longer than readers take.
func TestValueRootBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		root, n := new(valueindex.Root), uint64(0)
		for c := range root.Entries {
			if r.IntN(3) == 0 {
				continue
			}
			entries := r.IntN(4 * valueindex.PageEntries)
			root.Entries[c], n = uint64(entries), n+uint64(entries)
			for left := entries; left > 0; left -= valueindex.PageEntries {
				root.Pages[c] = append(root.Pages[c], valueindex.Page{Len: math.MaxUint32, RawLen: math.MaxUint32})
			}
		}
		if got := uint64(len(root.Append(nil))); got > valueindex.MaxRoot(n) {
			t.Fatalf("%d bytes for %d literals, at most %d are taken", got, n, valueindex.MaxRoot(n))
		}
	}
}
