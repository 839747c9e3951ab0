package segment_test

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// buildDocuments makes a file of Turtle documents.
func buildDocuments(t *testing.T, opt *segment.BuildOptions, docs ...string) ([]byte, *segment.Built) {
	t.Helper()
	b := segment.NewBuilder(opt)
	for _, doc := range docs {
		if err := b.AddInput(t.Context(), "doc.ttl", strings.NewReader(doc), rdfio.Turtle, rdf.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return finish(t, b)
}

func openPinned(t *testing.T, file []byte, built *segment.Built) (*segment.Segment, error) {
	t.Helper()
	s, err := segment.Open(t.Context(), blob.Bytes("doc.rete", file), &segment.Options{Pin: built.Pin()})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// TestPrefixes: a file has the prefixes of its documents, whatever their order, outside the
// content hash; without them it is the file of the quads alone.
func TestPrefixes(t *testing.T) {
	one := "@prefix a: <http://ex/a/> . @prefix c: <http://ex/c/> . a:x a:y c:z ."
	two := "PREFIX a: <http://ex/b/> PREFIX d: <http://ex/d/> a:x a:y a:z ."
	plain := "<http://ex/a/x> <http://ex/a/y> <http://ex/c/z> . <http://ex/b/x> <http://ex/b/y> <http://ex/b/z> ."
	file, built := buildDocuments(t, nil, one, two)
	again, _ := buildDocuments(t, nil, two, one)
	if !bytes.Equal(file, again) {
		t.Error("the order of the documents makes a difference")
	}
	bare, builtBare := buildDocuments(t, nil, plain)
	if without, _ := buildDocuments(t, &segment.BuildOptions{NoPrefixes: true}, one, two); !bytes.Equal(without, bare) {
		t.Error("without prefixes it is not the file of the quads")
	}
	if built.Hash != builtBare.Hash {
		t.Error("prefixes change the content hash")
	}
	s, err := openPinned(t, file, built)
	if err != nil {
		t.Fatal(err)
	}
	want := prefixes.Set{"a": "http://ex/a/", "c": "http://ex/c/", "d": "http://ex/d/"}
	if got, err := s.Prefixes(t.Context()); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if err := s.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if s, err := openPinned(t, bare, builtBare); err != nil {
		t.Error(err)
	} else if got, err := s.Prefixes(t.Context()); len(got) > 0 || err != nil {
		t.Errorf("a file without prefixes has %v, %v", got, err)
	}

	// Nobody vouches for those of a file without a pin that covers them.
	unpinned := &segment.Built{Size: built.Size, Hash: built.Hash}
	if s, err := openPinned(t, file, unpinned); err != nil {
		t.Error(err)
	} else if got, err := s.Prefixes(t.Context()); got != nil || err != nil {
		t.Errorf("without a pin: %v, %v", got, err)
	}

	// A changed byte of them is an error.
	r := s.Header().Section(segment.KindPrefixes)
	for i := range r.Length {
		hurt := bytes.Clone(file)
		hurt[r.Offset+i] ^= 1
		s, err := openPinned(t, hurt, built)
		if err == nil {
			_, err = s.Prefixes(t.Context())
		}
		if !errors.Is(err, damage.Err) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
}
