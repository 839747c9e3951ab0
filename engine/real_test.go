package engine_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// readDoc parses a document the plain way, with the labels that docs/manifest.md
// gives its blank nodes.
func readDoc(t testing.TB, name string) []model.Quad {
	t.Helper()
	packed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rdfio.Decompress(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	sum := blake3.Sum256(text)
	prefix := "_:b" + hex.EncodeToString(sum[:8])
	in, err := rdfio.Open(name, bytes.NewReader(text), rdfio.Unknown, rdf.Options{Blank: rdf.Document})
	if err != nil {
		t.Fatal(err)
	}
	var out []model.Quad
	for {
		var q rdf.RawQuad
		err := in.Read(&q)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		m := model.Quad{string(q.S), string(q.P), string(q.O), string(q.G)}
		for i, s := range m {
			if len(s) > 2 && s[:2] == "_:" {
				m[i] = prefix + s[2:]
			}
		}
		out = append(out, m)
	}
}

// TestRealData runs the main job over data sets of different kinds: a base, other
// documents added, a part deleted, a part of that added again; after every step
// the graph is that of a naive fold, and so it is after a compaction.
func TestRealData(t *testing.T) {
	shared := filepath.Join(reteshared.Dir(t), "data", "real")
	for _, set := range []struct {
		name string
		docs []string
		long bool
	}{
		{"brick", []string{"brick/223p.ttl", "brick/bacnet.ttl", "brick/soda_brick.ttl"}, false},
		{"schemaorg", []string{"schemaorg/schemaorg-all-https-12.0.nq.gz", "schemaorg/schemaorg-all-https-15.0.nq.gz", "schemaorg/schemaorg-all-https-30.0.ttl"}, false},
		{"qudt", []string{"qudt/VOCAB_QUDT-CONSTANTS.ttl", "qudt/SCHEMA_QUDT.ttl", "qudt/VOCAB_QUDT-QUANTITY-KINDS-ALL.ttl.gz"}, false},
		{"wikidata", []string{"wikidata/Q42.ttl", "wikidata/Q42-munged.ttl", "wikidata/Q513-munged.ttl", "wikidata/lexeme_dump.ttl"}, false},
		{"pato", []string{"pato/pato-base.nt.gz"}, true},
		{"fibo", []string{"fibo/fibo.nq.gz"}, true},
		{"qudt units", []string{"qudt/VOCAB_QUDT-UNITS-ALL.ttl.gz", "qudt/VOCAB_QUDT-CONSTANTS.ttl"}, true},
	} {
		t.Run(set.name, func(t *testing.T) {
			if set.long && !longtest.On() {
				t.Skip("in the long form")
			}
			m := vfs.NewMem()
			db := initDB(t, m)
			r := rand.New(rand.NewPCG(1, 2))
			want := model.Set{}
			check := func(step string) {
				t.Helper()
				got := visible(t, snapshot(t, db))
				if !slices.Equal(got, want.Sorted()) {
					t.Fatalf("%s: %d quads, want %d", step, len(got), len(want))
				}
				checkPatterns(t, snapshot(t, db), want, r)
			}
			var first []model.Quad
			for _, d := range set.docs[:longtest.Pick(min(2, len(set.docs)), len(set.docs))] {
				name := filepath.Join(shared, filepath.FromSlash(d))
				list := readDoc(t, name)
				if first == nil {
					first = list
				}
				f, err := os.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				addDB(t, db, engine.Step{Adds: &engine.Source{Name: name, Reader: f}})
				for _, q := range list {
					want[q] = true
				}
				check(d)
			}
			gone := sample(r, first, 3)
			for _, q := range gone {
				delete(want, q)
			}
			addDB(t, db, engine.Step{Dels: quads(gone)})
			check("deleted")
			back, away := sample(r, gone, 4), sample(r, first, 10)
			for _, q := range away {
				delete(want, q)
			}
			for _, q := range back {
				want[q] = true
			}
			addDB(t, db, engine.Step{Adds: quads(back), Dels: quads(away)})
			check("added again")
			s, err := db.Status(t.Context(), &engine.StatusOptions{Count: true})
			if err != nil || !s.Verified || *s.VisibleQuads != uint64(len(want)) {
				t.Fatalf("status: %+v, %v", s, err)
			}
			got, err := db.Compact(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			check("compacted")
			checkSameBytes(t, want, got.Log[0].Adds.Hash)
		})
	}
}

// sample returns one of n quads.
func sample(r *rand.Rand, list []model.Quad, n int) []model.Quad {
	var out []model.Quad
	for _, q := range list {
		if r.IntN(n) == 0 {
			out = append(out, q)
		}
	}
	return out
}

// checkPatterns compares counts of patterns around a few quads.
func checkPatterns(t *testing.T, s *engine.Snapshot, want model.Set, r *rand.Rand) {
	t.Helper()
	list := want.Sorted()
	for range 5 {
		q := list[r.IntN(len(list))]
		ids := make([]dataset.ID, 3)
		if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface(q[0]), rdf.FromSurface(q[1]), rdf.FromSurface(q[2])}, ids); err != nil {
			t.Fatal(err)
		}
		for mask := 1; mask < 8; mask++ {
			var p dataset.Pattern
			var mp model.Pattern
			if mask&1 != 0 {
				p.S, mp.S = ids[0], q[0]
			}
			if mask&2 != 0 {
				p.P, mp.P = ids[1], q[1]
			}
			if mask&4 != 0 {
				p.O, mp.O = ids[2], q[2]
			}
			p.G.Mode, mp.Mode = dataset.Merge, model.Merge
			n, err := s.Count(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if w := len(want.Match(mp)); n != uint64(w) {
				t.Fatalf("%+v: counted %d, want %d", mp, n, w)
			}
		}
	}
}

// checkSameBytes builds a log that gets to the same graph another way, and
// expects its compaction to have the same hash.
func checkSameBytes(t *testing.T, want model.Set, hash [16]byte) {
	t.Helper()
	db := initDB(t, vfs.NewMem())
	list := want.Sorted()
	half := len(list) / 2
	addDB(t, db, engine.Step{Adds: quads(list[half/2:])}, engine.Step{Adds: quads(list[:half])})
	m, err := db.Compact(t.Context(), nil)
	if err != nil && !errors.Is(err, engine.ErrCompact) {
		t.Fatal(err)
	}
	if m == nil || m.Log[0].Adds.Hash != hash {
		t.Error("another log of the same graph was compacted to other bytes")
	}
}
