package segment_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/faraway"
	"github.com/rete-go/rete/internal/segment"
)

// section returns the bytes of a section of a file.
func section(t *testing.T, file []byte, k segment.Kind) []byte {
	t.Helper()
	h, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	r := h.Section(k)
	return file[r.Offset:][:r.Length]
}

// TestPyramidBytes compares the section of the worked example of the format with its bytes.
func TestPyramidBytes(t *testing.T) {
	qs := []quad{
		{"<http://ex/a>", "<http://ex/knows>", "<http://ex/b>"},
		{"<http://ex/b>", "<http://ex/name>", `"Bob"@en`},
		{"<http://ex/a>", "<http://ex/name>", `"Al"`, "<http://ex/g>"},
	}
	file, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true}}, qs)
	want := strings.ReplaceAll("00 02 00 01 00 01 00 02 00 01 00 03 0d 02 01 01 01 01 01 01 02 01 01 01 01 01", " ", "")
	if got := hex.EncodeToString(section(t, file, segment.KindPyramid)); got != want {
		t.Errorf("pyramid %s, want %s", got, want)
	}
	empty, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true}}, qs[2:])
	if got := section(t, empty, segment.KindPyramid); len(got) > 0 {
		t.Errorf("without a default graph the pyramid is % x", got)
	}
}

// TestPyramidSameBytes: neither the memory nor the workers, nor the codec or the orders that the
// file stores, make a difference to the pyramid; and the files that have it verify.
func TestPyramidSameBytes(t *testing.T) {
	qs := manyQuads(4000)
	var want []byte
	for _, opt := range []segment.BuildOptions{
		{Workers: 1}, {Workers: 2}, {MaxMemory: 1 << 20}, {WriterOptions: segment.WriterOptions{Orders: 3}},
		{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec}}, {WriterOptions: segment.WriterOptions{Plain: true}},
	} {
		opt.Pyramid = true
		opt.TempDir = t.TempDir()
		file, built := build(t, &opt, qs)
		got := section(t, file, segment.KindPyramid)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: another pyramid", opt)
		}
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
		s.Close()
	}
}

// typedQuads are those of manyQuads with classes for their nodes.
func typedQuads(n int) []quad {
	qs := manyQuads(n)
	for i := range n / 3 {
		class := fmt.Sprintf("<http://example.org/Class%d>", i%40)
		qs = append(qs, quad{fmt.Sprintf("<http://example.org/node/%d>", i), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", class})
	}
	for i := 1; i < 40; i++ {
		qs = append(qs, quad{fmt.Sprintf("<http://example.org/Class%d>", i), "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", fmt.Sprintf("<http://example.org/Class%d>", i/3)})
	}
	return qs
}

// TestLinksWithoutInstances: where there are classes and nothing has one, links lead from what has no class.
func TestLinksWithoutInstances(t *testing.T) {
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true}}, []quad{
		{"<http://ex/C>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>", "<http://ex/D>"},
		{"<http://ex/a>", "<http://ex/knows>", "<http://ex/b>"}, {"<http://ex/b>", "<http://ex/name>", `"Bob"`},
	})
	s, err := open(t, file, &segment.Options{Pin: built.Pin()}).Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []segment.SummaryLink{
		{From: "(untyped)", Predicate: "<http://ex/knows>", To: "(untyped)", Count: 1},
		{From: "(untyped)", Predicate: "<http://ex/name>", To: "(literal)", Count: 1},
	}
	for _, l := range s.Levels {
		if diff := cmp.Diff(want, l.Links); diff != "" {
			t.Errorf("depth %d: -want +got\n%s", l.Depth, diff)
		}
	}
	if len(s.Levels) != 2 {
		t.Errorf("%d levels", len(s.Levels))
	}
}

// TestSummaryRequests: the summary of a file far away takes three requests, two for opening it.
func TestSummaryRequests(t *testing.T) {
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true, Metadata: []byte(`{"title":"Nodes"}`)}}, typedQuads(20_000))
	far := &faraway.Far{Files: map[string][]byte{"/a.rete": file}, Quick: true}
	web := blob.NewHTTPWith(blob.HTTPOptions{Client: &http.Client{Transport: far}, Tail: 16 << 10}) // its metadata lies next to the header
	obj, err := web.Open(t.Context(), "http://far.example/a.rete")
	if err != nil {
		t.Fatal(err)
	}
	pin, err := segment.StatedPin(t.Context(), obj)
	if err != nil {
		t.Fatal(err)
	}
	if *pin.Extra != built.Extra {
		t.Fatal("the file states another pin than it was built with")
	}
	s, err := segment.Open(t.Context(), obj, &segment.Options{Pin: pin})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := far.Cost(); c.Requests > 3 || c.Bytes > 64<<10 {
		t.Errorf("%d requests, %d bytes", c.Requests, c.Bytes)
	}
	local, err := open(t, file, &segment.Options{Pin: built.Pin()}).Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(local, got); diff != "" || string(got.Metadata) != `{"title":"Nodes"}` || len(got.Levels) < 3 || len(got.Communities) == 0 {
		t.Errorf("-local +remote\n%s", diff)
	}

	// A flipped byte of the section is found, whatever reads it.
	r, _ := segment.ParseHeader(file)
	at := r.Section(segment.KindPyramid)
	bad := bytes.Clone(file)
	bad[at.Offset+at.Length/2] ^= 1
	damaged := open(t, bad, &segment.Options{Pin: built.Pin()})
	if _, err := damaged.Summary(t.Context()); !errors.Is(err, damage.Err) {
		t.Errorf("of a damaged section: %v", err)
	}
}

// TestCommunities: two cliques that one triple joins are two communities, and nodes without links
// are counted with those of their class; all edges together count each triple once.
func TestCommunities(t *testing.T) {
	var qs []quad
	for _, clique := range []string{"a", "b"} {
		for i := range 8 {
			for k := range 8 {
				if i != k {
					qs = append(qs, quad{fmt.Sprintf("<http://ex/%s%d>", clique, i), "<http://ex/knows>", fmt.Sprintf("<http://ex/%s%d>", clique, k)})
				}
			}
		}
	}
	qs = append(qs, quad{"<http://ex/a0>", "<http://ex/knows>", "<http://ex/b0>"}, quad{"<http://ex/a0>", "<http://ex/name>", `"a"`})
	for i := range 3 {
		s := fmt.Sprintf("<http://ex/record%d>", i)
		qs = append(qs, quad{s, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://ex/Record>"}, quad{s, "<http://ex/name>", `"r"`})
	}
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true}}, qs)
	s, err := open(t, file, &segment.Options{Pin: built.Pin()}).Summary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	knows := map[[2]uint32]uint64{}
	total := uint64(0)
	for _, b := range s.Between {
		total += b.Triples
		if b.Predicate == "<http://ex/knows>" {
			knows[[2]uint32{b.From, b.To}] += b.Triples
		}
	}
	if total != uint64(len(qs)) || s.Triples != total {
		t.Errorf("edges count %d triples, there are %d", total, len(qs))
	}
	want := map[[2]uint32]uint64{{0, 0}: 56, {1, 1}: 56, {0, 1}: 1}
	if !maps.Equal(knows, want) {
		t.Errorf("between communities %v, want %v", knows, want)
	}
}
