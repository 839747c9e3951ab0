package build

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// TestReaderAndBlocksAgree: one document read line by line and in parallel
// blocks gives the same file, packed or not, with or without a byte order mark.
func TestReaderAndBlocksAgree(t *testing.T) {
	ctx := context.Background()
	var text strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&text, "_:n%d <http://ex/p> \"value %d of a line that is not too short\" .\n", i%5000, i)
	}
	doc := text.String()
	one := NewBuilder(nil)
	d := newDocument(strings.NewReader(doc))
	rd, err := rdfio.Open("a.nt", d, rdfio.NTriples, rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.addReader(ctx, rd, d, checkAll); err != nil {
		t.Fatal(err)
	}
	want := written(t, one)

	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, doc)
	z.Close()
	for name, r := range map[string]io.Reader{"plain": strings.NewReader(doc), "gzip": &packed} {
		b := NewBuilder(&BuildOptions{Workers: 3})
		if err := b.AddInput(ctx, "a.nt", r, rdfio.Unknown, rdf.Options{}); err != nil {
			t.Fatal(err)
		}
		if got := written(t, b); !bytes.Equal(got, want) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

func written(t *testing.T, b *Builder) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := b.WriteTo(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
