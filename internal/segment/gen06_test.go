package segment_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukechampine.com/blake3"
	"pgregory.net/rapid"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/made06"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// made returns the quads as the writer of generation 0x06 takes them.
func made(qs []quad) (list []made06.Quad) {
	for _, q := range qs {
		list = append(list, made06.Quad(q))
	}
	return list
}

// pinOf06 is the pin of a file of generation 0x06.
func pinOf06(file []byte) *segment.Pin {
	return &segment.Pin{Size: int64(len(file)), Hash: [16]byte(file[8:24])}
}

// TestNewer: what a file of generation 0x06 holds is found in every order, by every pattern and
// name, however its tiles, leaves and graphs lie, here and far away.
func TestNewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qs := drawQuads(t)
		opt := made06.Options{
			Three: rapid.Bool().Draw(t, "three"),
			Codec: codec.Codec(rapid.IntRange(0, 1).Draw(t, "codec")),
			Rows:  rapid.SampledFrom([]int{1, 2, 5, 0}).Draw(t, "rows"),
			Leaf:  rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "leaf"),
			Runs:  rapid.SampledFrom([]int{1, 0}).Draw(t, "runs"),
			Mixed: rapid.Bool().Draw(t, "mixed"),
			Card:  rapid.SampledFrom([]string{"", `{"title":"x"}`}).Draw(t, "card"),
			Build: rapid.SampledFrom([]string{"", `{"by":"a test"}`}).Draw(t, "build"),
		}
		file := made06.File(made(qs), opt)
		name := rapid.SampledFrom([]string{"mem.rete", "no cache.rete", farName}).Draw(t, "name")
		o := &segment.Options{Pin: pinOf06(file)}
		switch name {
		case "mem.rete":
			o.Pin = nil
		case "no cache.rete":
			o.Cache = cache.New(0)
		}
		s, err := segment.Open(t.Context(), blob.Bytes(name, file), o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer s.Close()
		checkAll(t, s, qs)
		checkPatterns(t, s, qs)
		checkNames(t, s, qs)
		info, err := s.Info(t.Context())
		if err != nil || string(info.Metadata) != opt.Card || string(info.BuildInfo) != opt.Build || info.Header.Format != 6 {
			t.Fatalf("info %+v: %v", info, err)
		}
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// graphsOf are quads of many small graphs and a large one, whose names are subjects, objects,
// predicates, or nothing else.
func graphsOf(n int) (qs []quad) {
	r := rand.New(rand.NewPCG(6, uint64(n)))
	term := func(k string, m int) string { return fmt.Sprintf("<http://ex/%s%d>", k, r.IntN(m)) }
	for i := range n {
		g := ""
		switch r.IntN(4) {
		case 0:
			g = term("g", n/8+1)
		case 1:
			g = term("s", 20)
		case 2:
			g = "<http://ex/large>"
		}
		o := term("s", 50)
		if i%3 == 0 {
			o = fmt.Sprintf(`"text %d"`, r.IntN(n))
		}
		qs = append(qs, quad{term("s", n/4+1), term("p", 7), o, g})
	}
	return qs
}

// TestNewerLarge is a file of many leaves and tiles, and of more graphs than are read together.
func TestNewerLarge(t *testing.T) {
	qs := graphsOf(20_000)
	for _, opt := range []made06.Options{{Codec: codec.Zstd, Rows: 500, Leaf: 7, Runs: 4, Mixed: true}, {Rows: 3000, Three: true}} {
		file := made06.File(made(qs), opt)
		s := open(t, file, nil)
		checkAll(t, s, qs)
		checkLocate(t, s, qs)
		if !opt.Three {
			checkSeeks(t, s)
		}
		checkNames(t, s, qs)
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if err := s.VerifyTerms(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if err := rightSizes(t, "0x06", s, distinctQuads(qs)); err != nil {
			t.Error(err)
		}
		rows, err := s.RowsByGraph(t.Context(), true)
		if err != nil || len(rows.Rows) == 0 {
			t.Errorf("%v rows by graph, %v", rows, err)
		}
	}
}

// TestNewerFarAway: far away it is read by ranges where there is a tree, which proves its
// sections one by one.
func TestNewerFarAway(t *testing.T) {
	qs := graphsOf(20_000)
	file := made06.File(made(qs), made06.Options{Rows: 400})
	tree := treeOf(t, file)
	for name, trees := range map[string]*ownTree{"tree": {there: tree}, "none": {}} {
		obj := blobtest.Counting(blob.Bytes(farName, file))
		s, err := segment.Open(t.Context(), obj, &segment.Options{Pin: pinOf06(file), Trees: trees})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n, err := s.Count(t.Context(), 0, tile.POS, 1); err != nil || n == 0 {
			t.Fatalf("%s: %d, %v", name, n, err)
		}
		if got, least := obj.BytesRead(), int64(len(file))/2; (got < least) != (name == "tree") || s.Proof() != segment.ProofTree {
			t.Errorf("%s: %d bytes read of %d, proof %v", name, got, len(file), s.Proof())
		}
		if _, err := s.GraphNames(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := obj.Calls(); name == "tree" && got > 12 {
			t.Errorf("opening, a count and the names of all graphs took %d requests", got)
		}
		checkAll(t, s, qs)
		if name == "none" && !bytes.Equal(trees.kept, tree) {
			t.Error("another tree was kept")
		}
	}
	for _, bad := range [][]byte{tree[1:], append(slices.Clone(tree[:len(tree)-1]), tree[len(tree)-1]^1), {}} {
		s, err := segment.Open(t.Context(), blob.Bytes(farName, file), &segment.Options{Pin: pinOf06(file), Trees: &ownTree{there: bad}})
		if err == nil {
			_, err = dump(t.Context(), s, tile.SPO)
		}
		if !errors.Is(err, damage.Err) {
			t.Errorf("a wrong tree: %v", err)
		}
	}
}

// TestNewerFlipped: each byte of a file that is changed gives the same quads or an error, and
// verification finds it, but in what no hash covers: the build record, and the padding.
func TestNewerFlipped(t *testing.T) {
	qs := graphsOf(60)
	file := made06.File(made(qs), made06.Options{Rows: 9, Leaf: 2, Runs: 1, Card: `{"title":"x"}`, Codec: codec.Zstd})
	want := distinctQuads(qs)
	for i := range file {
		hurt := bytes.Clone(file)
		hurt[i] ^= 1 << (i % 8)
		for name, opt := range map[string]segment.Options{"mem.rete": {}, farName: {Pin: pinOf06(file), Cache: cache.New(0)}} {
			got, err := readBack(hurt, name, opt)
			if err == nil {
				if sortQuads(got); !slices.Equal(got, want) {
					t.Fatalf("byte %d: other quads", i)
				}
			} else if !errors.Is(err, damage.Err) && i != 4 && i > 3 {
				t.Errorf("byte %d: %v", i, err)
			}
		}
		s, err := segment.Open(t.Context(), blob.Bytes("mem.rete", hurt), nil)
		if err == nil {
			err = s.Verify(t.Context(), nil)
		}
		if err == nil {
			t.Errorf("byte %d: verification finds nothing", i)
		}
	}
	for n := range 50 {
		if _, err := readBack(file[:len(file)*n/50], "mem.rete", segment.Options{}); err == nil {
			t.Errorf("cut to %d of 50: no error", n)
		}
	}
}

// TestNewerPin: the pin of a file covers the build record too.
func TestNewerPin(t *testing.T) {
	file := made06.File(made(exampleQuads), made06.Options{Build: `{"by":"a test"}`})
	pin, head, err := segment.PinOf(t.Context(), blob.Bytes("mem.rete", file))
	if err != nil || pin.Extra == nil || pin.Hash != [16]byte(file[8:24]) || head.Quads != 3 {
		t.Fatalf("%+v, %v", pin, err)
	}
	checkAll(t, open(t, file, &segment.Options{Pin: pin}), exampleQuads)
	at := bytes.Index(file, []byte("a test"))
	other := bytes.Clone(file)
	other[at] = 'A'
	if _, err := readBack(other, "mem.rete", segment.Options{Pin: pin}); !errors.Is(err, damage.Err) {
		t.Errorf("another build record: %v", err)
	}
	stated, err := segment.StatedPin(t.Context(), blob.Bytes("mem.rete", file))
	if err != nil || stated.Hash != pin.Hash || stated.Size != pin.Size {
		t.Errorf("%+v, %v", stated, err)
	}
}

// TestNewerText: the tokens of several leaves are found, and those of an index that covers named
// graphs too are not taken for those of the default graph.
func TestNewerText(t *testing.T) {
	qs := textQuads(rand.New(rand.NewPCG(1, 1)), 400)
	words := map[string][]string{}
	for word, subjects := range naiveText(qs) {
		for s := range subjects {
			words[word] = append(words[word], s)
		}
	}
	file := made06.File(made(qs), made06.Options{Codec: codec.Zstd, Leaf: 5, Text: words})
	s := open(t, file, nil)
	checkText(t, s, qs)
	if err := s.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	file[5] |= 1 << 2
	made06.Seal(file[:128])
	if text, err := open(t, file, nil).Text(t.Context()); text != nil || err != nil {
		t.Errorf("an index of all graphs: %v, %v", text, err)
	}
}

// TestNewerSummary: what the section of classes has counts, where the pyramid counts a triple as often
// as it was given.
func TestNewerSummary(t *testing.T) {
	pyramid := unhex(t, "00 02 00010005 00020001 00")
	schema := unhex(t, "01 00 00 00 00 03 0d 02 010101010101 020101010101")
	for name, opt := range map[string]made06.Options{
		"both": {Pyramid: pyramid, Schema: schema}, "classes alone": {Schema: schema}, "the pyramid alone": {Pyramid: pyramid},
	} {
		file := made06.File(made(exampleQuads), opt)
		s := open(t, file, nil)
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sum, err := s.Summary(t.Context())
		if err != nil || len(sum.Predicates) != 2 {
			t.Fatalf("%s: %+v, %v", name, sum, err)
		}
		want := uint64(2)
		if name == "the pyramid alone" {
			want = 6
		}
		if sum.Triples != want {
			t.Errorf("%s: %d triples, want %d", name, sum.Triples, want)
		}
	}
	for _, bad := range []string{"", "02", "01", "0105", "01 00 00 00 00 03 0d 03"} {
		s := open(t, made06.File(made(exampleQuads), made06.Options{Pyramid: pyramid, Schema: unhex(t, bad)}), nil)
		if _, err := s.Summary(t.Context()); (err == nil) != (bad == "") || err != nil && !errors.Is(err, damage.Err) {
			t.Errorf("classes %q: %v", bad, err)
		}
	}
}

// TestNewerEmptyName: a graph whose name has no bytes is damage, also where it is the only one.
func TestNewerEmptyName(t *testing.T) {
	file := emptyName(t)
	s := open(t, file, nil)
	if _, err := s.GraphNames(t.Context()); !errors.Is(err, damage.Err) {
		t.Errorf("the names of graphs: %v", err)
	}
	if err := s.Verify(t.Context(), nil); !errors.Is(err, damage.Err) {
		t.Errorf("verification: %v", err)
	}
}

// emptyName is a file of one graph, whose name has no bytes.
func emptyName(t testing.TB) []byte {
	file := made06.File([]made06.Quad{{"<x>", "<p>", "<x>", "<x>"}}, made06.Options{})
	chunk := []byte("\x00\x03<x>")
	at := bytes.Index(file, chunk)
	copy(file[at:], "\x80\x80\x80\x00\x00") // as long, with a padded number
	if at < 0 || !reseal06(file) {
		t.Fatal("no such chunk")
	}
	return file
}

// TestNewerGolden pins the bytes of a file that release 0.5.0 of the program whose generation it
// is verifies and dumps, as go run ./internal/interop shows.
func TestNewerGolden(t *testing.T) {
	qs := graphsOf(300)
	file := made06.File(made(qs), made06.Options{Rows: 20, Leaf: 4, Runs: 1})
	sum := blake3.Sum256(file)
	const want = "cb224cecdd0f7bded8c3d015fa33471d"
	if got := hex.EncodeToString(sum[:16]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestNewerRefused: what the header says that this reader does not know is refused.
func TestNewerRefused(t *testing.T) {
	good := made06.File(made(exampleQuads), made06.Options{})
	for name, change := range map[string]func(h []byte){
		"64-bit ids":     func(h []byte) { h[77] = 1 },
		"a codec":        func(h []byte) { h[74] = 2 },
		"order mask":     func(h []byte) { h[72] = 0x05 },
		"no named graph": func(h []byte) { h[64] = 0 },
		"other orders":   func(h []byte) { h[72] = 0x07 },
	} {
		file := bytes.Clone(good)
		change(file)
		made06.Seal(file[:128])
		if _, err := segment.Open(t.Context(), blob.Bytes("mem.rete", file), nil); !errors.Is(err, damage.Err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
