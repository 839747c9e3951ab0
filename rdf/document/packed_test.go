package document_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
)

// zstandard packs a text.
func zstandard(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestUnpackEnds: a context that ends once all has come ends the unpacking, though no more is read from anywhere.
func TestUnpackEnds(t *testing.T) {
	packed := zstandard(t, strings.Repeat("# nothing\n", 1<<20))
	gone := errors.New("the client is gone")
	for _, ends := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		held := 0
		l := document.Limits{Unpack: func(context.Context) (func(), error) {
			held++
			if ends {
				cancel(gone)
			}
			return func() { held-- }, nil
		}}
		d, err := document.Read(ctx, source("a", packed, rdfio.Turtle), l)
		if ends && !errors.Is(err, gone) || !ends && err != nil || held != 0 {
			t.Errorf("ended %v: %v, %d places are held", ends, err, held)
		}
		if err == nil {
			d.Close()
		}
		cancel(nil)
	}
}

// TestTotal: documents with shared limits have one bound, of texts and of quads.
func TestTotal(t *testing.T) {
	l := document.Limits{Bytes: 1000, Total: 1800, TempDir: t.TempDir()}.Shared()
	prefix := "@prefix a: <x:" + strings.Repeat("a", 200) + "> .\n" // makes quads longer than the text
	var tooLarge *document.TooLargeError
	for i := range 3 {
		d, err := document.Read(t.Context(), source("a.ttl", prefix+"a: a: a: .", rdfio.Turtle), l)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := d.Parse(t.Context()); errors.As(err, &tooLarge) != (i == 2) {
			t.Errorf("quads of document %d: %v", i+1, err)
		}
	}
	for i := range 5 {
		d, err := document.Read(t.Context(), source("a.ttl", "#"+strings.Repeat("x", 399), rdfio.Turtle), l)
		if errors.As(err, &tooLarge) != (i >= 2) {
			t.Errorf("text %d: %v", i+1, err)
		}
		if err == nil {
			defer d.Close()
		}
	}
}
