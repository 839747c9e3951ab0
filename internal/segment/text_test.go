package segment_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/textindex"
)

// textQuads are n quads with literals of a few words, in the default graph and in another, and
// with literals that are subjects of other statements nowhere.
func textQuads(r *rand.Rand, n int) []quad {
	var out []quad
	for range n {
		var words []string
		for range r.IntN(7) {
			words = append(words, fmt.Sprintf("word%d", int(r.ExpFloat64()*40)))
		}
		o := `"` + strings.Join(words, " ") + `"`
		switch r.IntN(8) {
		case 0:
			o += "@en"
		case 1:
			o = fmt.Sprintf("<http://ex/s%d>", r.IntN(n))
		case 2:
			o = fmt.Sprintf(`"%d"^^<%sinteger>`, r.IntN(1000), xsd)
		}
		out = append(out, quad{fmt.Sprintf("<http://ex/s%d>", r.IntN(n)), fmt.Sprintf("<http://ex/p%d>", r.IntN(3)), o, []string{"", "", "<http://ex/g>"}[r.IntN(3)]})
	}
	return out
}

// naiveText is the text index as a map, of subjects by their terms.
func naiveText(qs []quad) map[string]map[string]bool {
	index := map[string]map[string]bool{}
	for _, q := range qs {
		if q[3] != "" {
			continue
		}
		new(textindex.Splitter).Literal([]byte(q[2]), func(token []byte) {
			if index[string(token)] == nil {
				index[string(token)] = map[string]bool{}
			}
			index[string(token)][q[0]] = true
		})
	}
	return index
}

// subjectTerms returns the terms of all subjects, by id less one.
func subjectTerms(t *testing.T, s *segment.Segment) (list []string) {
	for _, sec := range []segment.Section{segment.Shared, segment.SubjectOnly} {
		terms := s.AllTerms(sec)
		for range s.Counts().Size(sec) {
			term, err := terms.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(term))
		}
	}
	return list
}

// checkText compares the text index of a segment with the map.
func checkText(t *testing.T, s *segment.Segment, qs []quad) {
	t.Helper()
	want := naiveText(qs)
	x, err := s.Text(t.Context())
	if err != nil || x == nil {
		t.Fatalf("no text index: %v", err)
	}
	subjects := subjectTerms(t, s)
	same := func(k segment.TextToken) {
		t.Helper()
		var got []string
		for _, id := range k.Subjects {
			got = append(got, subjects[id-1])
		}
		slices.Sort(got)
		if !slices.Equal(got, slices.Sorted(maps.Keys(want[k.Token]))) {
			t.Fatalf("%q: %d subjects, want %d", k.Token, len(got), len(want[k.Token]))
		}
	}
	n := 0
	if err := x.All(t.Context(), func(k segment.TextToken) error { n++; same(k); return nil }); err != nil {
		t.Fatal(err)
	}
	if n != len(want) || x.Tokens() != uint64(n) {
		t.Fatalf("%d tokens, want %d", n, len(want))
	}
	for _, word := range []string{"word1", "word", "w", "1", "none", "word12"} {
		for _, w := range []textindex.Word{{}, {Prefix: true}, {Suffix: true}, {Prefix: true, Suffix: true}} {
			w.Text = word
			var names []string
			for k := range want {
				if k == word || w.Prefix && strings.HasPrefix(k, word) || w.Suffix && strings.HasSuffix(k, word) || w.Prefix && w.Suffix && strings.Contains(k, word) {
					names = append(names, k)
				}
				if w.Matches([]byte(k)) != (len(names) > 0 && names[len(names)-1] == k) {
					t.Fatalf("%+v matches %s: %t", w, k, w.Matches([]byte(k)))
				}
			}
			slices.Sort(names)
			list, err := x.Find(t.Context(), word, w.Prefix, w.Suffix)
			if err != nil || len(list) != len(names) {
				t.Fatalf("%s, %+v: %d tokens, want %d, %v", word, w, len(list), len(names), err)
			}
			for i, k := range list {
				if k.Token != names[i] {
					t.Fatalf("%s: token %q, want %q", word, k.Token, names[i])
				}
				same(k)
			}
		}
	}
}

// TestText reads the text index of several files; its bytes do not depend on the memory.
func TestText(t *testing.T) {
	for i, n := range []int{5, 300, 4000} {
		qs := distinctQuads(textQuads(rand.New(rand.NewPCG(uint64(n), 1)), n))
		for _, opt := range []segment.WriterOptions{{}, {Codec: segment.RawCodec, Orders: 3}, {Plain: true}} {
			opt.TextIndex = true
			file, built := build(t, &segment.BuildOptions{WriterOptions: opt}, qs)
			opt.Memory = 1
			if little, _ := build(t, &segment.BuildOptions{WriterOptions: opt, Workers: 1 + i, MaxMemory: 1 << 20}, qs); !bytes.Equal(little, file) {
				t.Errorf("%d quads: other bytes with little memory", n)
			}
			for _, name := range []string{"text.rete", "https://example.org/text.rete"} {
				s, err := segment.Open(t.Context(), blob.Bytes(name, file), &segment.Options{Pin: built.Pin()})
				if err != nil {
					t.Fatal(err)
				}
				checkText(t, s, qs)
				if err := s.Verify(t.Context(), nil); err != nil {
					t.Error(err)
				}
				s.Close()
			}
		}
	}
}

// TestNoText opens files without a text index, and without tokens.
func TestNoText(t *testing.T) {
	none := []quad{{"<http://ex/a>", "<http://ex/p>", `"!"`, ""}, {"<http://ex/a>", "<http://ex/p>", `"word"`, "<http://ex/g>"}}
	for name, with := range map[string]bool{"without": false, "no tokens": true} {
		made := ""
		opt := segment.WriterOptions{TextIndex: with, Made: func(part string, size int64, _ time.Duration) { made += fmt.Sprintln(part, size) }}
		file, built := build(t, &segment.BuildOptions{WriterOptions: opt}, none)
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		if x, err := s.Text(t.Context()); x != nil || err != nil {
			t.Errorf("%s: %v, %v", name, x, err)
		}
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if with != (made == "text index 0\n") {
			t.Errorf("%s: made %q", name, made)
		}
	}
}

// TestDamagedText changes each byte of the text index and of its root: reading it is an error.
func TestDamagedText(t *testing.T) {
	for _, codec := range []segment.Codec{segment.RawCodec, segment.ZstdCodec} {
		opt := segment.WriterOptions{Codec: codec, TextIndex: true}
		file, built := build(t, &segment.BuildOptions{WriterOptions: opt}, textQuads(rand.New(rand.NewPCG(2, 1)), 60))
		head, err := segment.ParseHeader(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []segment.Kind{segment.KindTextIndex, format.KindPartDigests} {
			r := head.Section(k)
			for at := r.Offset; at < r.Offset+r.Length; at++ {
				hurt := bytes.Clone(file)
				hurt[at] ^= 1 << (at % 8)
				if err := readText(t, hurt, built.Pin()); !errors.Is(err, damage.Err) {
					t.Fatalf("byte %d of %v: %v", at-r.Offset, k, err)
				}
				if pin := reseal(hurt); pin != nil { // hashes that are right do no harm
					_ = readText(t, hurt, pin)
					_ = readText(t, hurt, &segment.Pin{Size: pin.Size, Hash: pin.Hash})
				}
			}
		}
	}
}

func readText(t *testing.T, file []byte, pin *segment.Pin) error {
	s, err := segment.Open(t.Context(), blob.Bytes("hurt", file), &segment.Options{Pin: pin})
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := s.Text(t.Context())
	if err != nil || x == nil {
		return err
	}
	return x.All(t.Context(), func(segment.TextToken) error { return nil })
}

// TestVerifyFindsText has a text index with good hashes that is not that of the literals.
func TestVerifyFindsText(t *testing.T) {
	opt := segment.WriterOptions{Codec: segment.RawCodec, TextIndex: true}
	file, _ := build(t, &segment.BuildOptions{WriterOptions: opt}, []quad{
		{"<http://ex/a>", "<http://ex/p>", `"bob and alice"`, ""}, {"<http://ex/b>", "<http://ex/p>", `"bob"`, ""}})
	head, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	r := head.Section(segment.KindTextIndex)
	for at := r.Offset; at < r.Offset+r.Length; at++ {
		hurt := bytes.Clone(file)
		hurt[at]++
		pin := reseal(hurt)
		s, err := segment.Open(t.Context(), blob.Bytes("hurt", hurt), &segment.Options{Pin: &segment.Pin{Size: pin.Size, Hash: pin.Hash, Extra: pin.Extra}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(t.Context(), nil); !errors.Is(err, damage.Err) {
			t.Errorf("byte %d: %v", at-r.Offset, err)
		}
		s.Close()
	}
}

// TestColdText counts the ranges of a query of two words in a file far away.
func TestColdText(t *testing.T) {
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{TextIndex: true}}, textQuads(rand.New(rand.NewPCG(3, 1)), 60_000))
	obj := blobtest.Counting(blob.Bytes("https://example.org/text.rete", file))
	s, err := segment.Open(t.Context(), obj, &segment.Options{Pin: built.Pin()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := obj.Calls()
	x, err := s.Text(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"word3", "word77"} {
		for range 2 { // warm, it takes none
			if list, err := x.Find(t.Context(), w, false, false); err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
		}
	}
	if n := obj.Calls() - before; n != 3 {
		t.Errorf("%d ranges, want three: the tokens, and the list of each word", n)
	}
}

// TestTextPage builds the worked example of docs/text-index.md and compares it with the bytes
// on that page.
func TestTextPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/text-index.md")
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
	file, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec, TextIndex: true}}, []quad{
		{"<http://ex/a>", "<http://ex/name>", `"Bob Bobson"`, ""}, {"<http://ex/b>", "<http://ex/name>", `"Bob"@en`, ""},
		{"<http://ex/b>", "<http://ex/name>", `"Al"`, "<http://ex/g>"}})
	head, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	r := head.Section(segment.KindTextIndex)
	got := file[r.Offset : r.Offset+r.Length]
	if want := unhex(t, hex.String()); !bytes.Equal(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}
