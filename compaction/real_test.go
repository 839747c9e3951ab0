package compaction_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// readQuads reads a document of the shared data.
func readQuads(t *testing.T, path string) []quad {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := rdfio.Open(path, f, rdfio.Unknown, rdf.Options{Blank: rdf.Verbatim, Base: "http://example.org/"})
	if err != nil {
		t.Fatal(err)
	}
	var quads []quad
	var q rdf.RawQuad
	for {
		err := r.Read(&q)
		if err == io.EOF {
			return quads
		}
		if err != nil {
			t.Fatal(err)
		}
		quads = append(quads, quad{string(q.S), string(q.P), string(q.O), string(q.G)})
	}
}

// Real data in a log of entries that overlap: the file is the one that the
// builder makes of the visible quads.
func TestRealData(t *testing.T) {
	dir := filepath.Join(reteshared.Dir(t), "data", "real")
	for _, name := range []string{
		"fibo/fibo.nq.gz", "pato/pato-base.nt.gz", "qudt/VOCAB_QUDT-UNITS-ALL.ttl.gz",
		"schemaorg/schemaorg-all-https-30.0.nq.gz", "wikidata/Q42.ttl",
	} {
		t.Run(name, func(t *testing.T) {
			quads := readQuads(t, filepath.Join(dir, filepath.FromSlash(name)))
			r := rand.New(rand.NewPCG(41, 42))
			some := func(share int) (part []quad) {
				for _, q := range quads {
					if r.IntN(share) == 0 {
						part = append(part, q)
					}
				}
				return part
			}
			log := []entry{{adds: some(2)}, {adds: some(3), dels: some(5)}, {adds: some(10)}, {dels: some(4)}, {adds: some(20), dels: some(20)}}
			b := segment.NewBuilder(nil)
			for _, q := range visible(log) {
				if err := b.AddQuad(&rdf.RawQuad{S: []byte(q[0]), P: []byte(q[1]), O: []byte(q[2]), G: []byte(q[3])}); err != nil {
					t.Fatal(err)
				}
			}
			var want, got bytes.Buffer
			if _, err := b.WriteTo(context.Background(), &want); err != nil {
				t.Fatal(err)
			}
			run, closeRun := newOpener(t).run(log, &segment.WriterOptions{Canonical: true})
			defer closeRun()
			if _, err := compaction.Adds(context.Background(), run, &got, nil); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("the file of %d quads is not the builder's", len(quads))
			}
		})
	}
}
