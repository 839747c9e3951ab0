package segment_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// rightSizes compares the sizes of the graphs with quads, which are distinct; an error is of the file.
func rightSizes(t *testing.T, what string, s *segment.Segment, qs []quad) error {
	t.Helper()
	names, err := s.GraphNames(t.Context())
	if err != nil {
		return err
	}
	sizes, err := s.GraphSizes(t.Context(), true)
	if err != nil {
		return err
	}
	want := make(map[string]uint64)
	for _, q := range qs {
		want[q[3]]++
	}
	if delete(want, ""); len(sizes) != len(names) || len(names) != len(want) {
		t.Errorf("%s: %d sizes of %d graphs, there are %d", what, len(sizes), len(names), len(want))
		return nil
	}
	for i, n := range sizes {
		if n != want[string(names[i])] {
			t.Errorf("%s: %s has %d quads, want %d", what, names[i], n, want[string(names[i])])
		}
	}
	return nil
}

// TestGraphSizes: a map knows the sizes of all graphs, and without one they are read; they are what a
// scan of each has.
func TestGraphSizes(t *testing.T) {
	qs := distinctQuads(manyQuads(8000))
	named := uint64(0)
	for _, q := range qs {
		if q[3] != "" {
			named++
		}
	}
	for name, opt := range map[string]*segment.BuildOptions{"map": nil, "plain": {WriterOptions: segment.WriterOptions{Plain: true}}} {
		file, built := build(t, opt, qs)
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		mapped := name == "map"
		if n, ok, err := s.NamedQuads(); err != nil || ok != mapped || ok && n != named {
			t.Errorf("%s: %d quads in named graphs, %v, %v", name, n, ok, err)
		}
		if sizes, err := s.GraphSizes(t.Context(), false); err != nil || (sizes != nil) != mapped {
			t.Errorf("%s: sizes that need not be made: %v, %v", name, sizes, err)
		}
		if err := rightSizes(t, name, s, qs); err != nil {
			t.Fatal(err)
		}
		sizes, err := s.GraphSizes(t.Context(), false)
		if err != nil || len(sizes) < 30 {
			t.Fatalf("%s: %d sizes are kept, %v", name, len(sizes), err)
		}
		for i, n := range sizes {
			if counted, err := s.Count(t.Context(), i+1, tile.POS); err != nil || counted != n {
				t.Errorf("%s: graph %d has %d quads, counted %d, %v", name, i+1, n, counted, err)
			}
		}
	}
}

// TestLyingGraphSizes: sizes in the list of graphs that do not add up are damage; those that do are once
// the graphs are read together, or verified.
func TestLyingGraphSizes(t *testing.T) {
	file, built := build(t, nil, manyQuads(2000))
	head, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	section := func(k segment.Kind) []byte {
		r := head.Section(k)
		return file[r.Offset : r.Offset+r.Length]
	}
	root, err := format.ParseRoot(section(format.KindMap), head.Section(format.KindMapPages).Length)
	if err != nil {
		t.Fatal(err)
	}
	page := root.Table(format.GraphTable, 0)[0]
	at := section(format.KindMapPages)[page.Off:][:page.Length]
	lie := func(more ...int) []byte {
		refs, err := format.ParseGraphPage(at, page.Entries, page.Start)
		if err != nil {
			t.Fatal(err)
		}
		var lied []byte
		base := uint64(0)
		for i := range refs {
			g := &refs[i]
			if i < len(more) {
				g.Rows += uint64(more[i])
			}
			lied = format.AppendGraphRef(lied, g, base)
			base = g.Off + g.Length
		}
		if len(lied) != len(at) {
			t.Fatalf("a page of %d bytes, not %d", len(lied), len(at))
		}
		out := bytes.Replace(file, at, lied, 1)
		was, now := format.Digest16(at), format.Digest16(lied)
		return bytes.Replace(out, was[:], now[:], 1)
	}
	for name, f := range map[string]struct {
		file            []byte
		sizes, together bool // whether it is damage
	}{
		"honest": {lie(), false, false}, "more": {lie(1), true, true}, "less": {lie(0, -1), true, true}, "exchanged": {lie(1, -1), false, true},
	} {
		pin := built.Pin()
		if name != "honest" {
			pin = reseal(f.file)
		}
		s := open(t, f.file, &segment.Options{Pin: pin})
		if _, err := s.GraphSizes(t.Context(), true); errors.Is(err, damage.Err) != f.sizes {
			t.Errorf("%s: sizes: %v", name, err)
		}
		if _, err := s.RowsByGraph(t.Context(), true); errors.Is(err, damage.Err) != f.together {
			t.Errorf("%s: all graphs: %v", name, err)
		}
		if err := s.Verify(t.Context(), nil); errors.Is(err, damage.Err) != f.together {
			t.Errorf("%s: verified: %v", name, err)
		}
	}
}
