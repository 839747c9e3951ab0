package segment_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// TestOversizedRoots opens files that the version that wrote them could not open.
func TestOversizedRoots(t *testing.T) {
	for name, want := range map[string]int{"name": 1, "literals": 100} {
		in, err := os.Open("testdata/oversized/" + name + ".rete.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		file, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		pin, head, err := segment.PinOf(t.Context(), blob.Bytes("mem.rete", file))
		if err != nil {
			t.Fatal(err)
		}
		if n := head.Section(format.KindMap).Length; n <= 1<<20 {
			t.Errorf("%s: a root page of %d bytes", name, n)
		}
		for _, pin := range []*segment.Pin{nil, pin} {
			s := open(t, file, &segment.Options{Pin: pin})
			if s.Mapped() != (pin != nil) {
				t.Errorf("%s: read by its map: %v", name, s.Mapped())
			}
			if err := s.Verify(t.Context(), nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := s.Probe(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if qs, err := dump(t.Context(), s, tile.SPO); err != nil || len(qs) != want {
				t.Errorf("%s: %d quads, %v", name, len(qs), err)
			}
		}
	}
}

// TestLongTermsLeaveSmallRoots: the root page has the beginning of graph names only,
// and of terms what tells them apart.
func TestLongTermsLeaveSmallRoots(t *testing.T) {
	for name, of := range map[string]func(i int, text string) quad{
		"graphs": func(i int, text string) quad {
			return quad{"<x:s>", "<x:p>", "<x:o>", fmt.Sprintf("<x:%s%d>", text, i)}
		},
		"terms": func(i int, text string) quad { return quad{"<x:s>", "<x:p>", fmt.Sprintf(`"%d%s"`, i, text), ""} },
	} {
		var qs []quad
		for i := range 60 {
			qs = append(qs, of(i+10, strings.Repeat("g", 20_000)))
		}
		file, built := build(t, nil, qs)
		h, err := segment.ParseHeader(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := h.Section(format.KindMap).Length; n > 20_000 {
			t.Errorf("%s: a root page of %d bytes", name, n)
		}
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		checkAll(t, s, qs)
		checkNames(t, s, qs)
	}
}

// TestTooLargeToRead: what a reader would not take the writer refuses.
func TestTooLargeToRead(t *testing.T) {
	for name, opt := range map[string]segment.WriterOptions{
		"metadata":   {Metadata: make([]byte, 16<<20+1)},
		"build-info": {BuildInfo: make([]byte, 16<<20+1)},
	} {
		if _, err := segment.NewWriter(&opt).WriteTo(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "16777216") {
			t.Errorf("%s: %v", name, err)
		}
	}
	opt := segment.WriterOptions{Metadata: make([]byte, 16<<20), BuildInfo: make([]byte, 16<<20)}
	file, built := build(t, &segment.BuildOptions{WriterOptions: opt}, exampleQuads)
	if _, err := open(t, file, &segment.Options{Pin: built.Pin()}).Info(t.Context()); err != nil {
		t.Error(err)
	}
}
