package segment_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
)

// built returns a segment of two quads, one in a named graph.
func built(t *testing.T, opt *segment.BuildOptions) ([]byte, *segment.Built) {
	t.Helper()
	b := segment.NewBuilder(opt)
	for _, g := range []string{"", "<http://ex/g>"} {
		q := rdf.RawQuad{S: []byte("<http://ex/s>"), P: []byte("<http://ex/p>"), O: []byte(`"o"`), G: []byte(g)}
		if err := b.AddQuad(&q); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	made, err := b.WriteTo(t.Context(), &file)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), made
}

// TestSegment: what programs outside see of a file.
func TestSegment(t *testing.T) {
	file, made := built(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Metadata: []byte(`{"a":1}`)}})
	pin, err := segment.PinOf(t.Context(), blob.Bytes("a.rete", file))
	if err != nil || pin.Size != made.Size || pin.Hash != made.Hash || *pin.Extra != made.Extra {
		t.Fatalf("pin %+v, %v", pin, err)
	}
	s, err := segment.Open(t.Context(), blob.Bytes("a.rete", file), &segment.Options{Pin: pin})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Quads != 2 || d.Graphs != 1 || d.Subjects != 1 || d.Predicates != 1 || d.Objects != 1 || !d.Canonical ||
		d.Hash != made.Hash || string(d.Metadata) != `{"a":1}` || s.Name() != "a.rete" {
		t.Errorf("%s: %+v", s.Name(), d)
	}
	if err := errors.Join(s.Verify(t.Context(), nil), s.VerifyTerms(t.Context(), nil)); err != nil {
		t.Error(err)
	}
	if _, err := s.Summary(t.Context()); !errors.Is(err, segment.ErrNoSummary) {
		t.Errorf("summary: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Describe(t.Context()); !errors.Is(err, segment.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestNotThePin: another file than that of the pin, and other bytes, are errors.
func TestNotThePin(t *testing.T) {
	file, made := built(t, nil)
	_, other := built(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Metadata: []byte("{}")}})
	if _, err := segment.Open(t.Context(), blob.Bytes("a.rete", file), &segment.Options{Pin: other.Pin()}); !errors.Is(err, segment.ErrWrong) {
		t.Errorf("the pin of another file: %v", err)
	}
	file[len(file)/2] ^= 1
	s, err := segment.Open(t.Context(), blob.Bytes("a.rete", file), &segment.Options{Pin: made.Pin()})
	if err == nil {
		err = s.Verify(t.Context(), nil)
		s.Close()
	}
	if !errors.Is(err, damage.Err) {
		t.Errorf("a changed byte: %v", err)
	}
}

// TestNextTo: a tree lies next to its file, or nowhere.
func TestNextTo(t *testing.T) {
	dir := t.TempDir()
	store, err := blob.NewMux("", blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "a.rete")
	if tree, err := segment.NextTo(store, name).Open(t.Context(), 1); tree != nil || err != nil {
		t.Errorf("without a tree: %v, %v", tree, err)
	}
	if err := os.WriteFile(name+".obao", []byte("tree"), 0o666); err != nil {
		t.Fatal(err)
	}
	tree, err := segment.NextTo(store, name).Open(t.Context(), 1)
	if err != nil || tree == nil {
		t.Fatalf("with a tree: %v, %v", tree, err)
	}
	tree.Close()
}
