package rete_test

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// population gives persons, five quads each.
type population struct{ at, n int }

// Read implements [rdf.Reader].
func (p *population) Read(q *rdf.RawQuad) error {
	if p.at == p.n {
		return io.EOF
	}
	i := p.at
	p.at++
	*q = rdf.RawQuad{S: fmt.Appendf(nil, "<http://ex/person/%d>", i/5), P: fmt.Appendf(nil, "<http://ex/p%d>", i%5),
		O: fmt.Appendf(nil, "<http://ex/person/%d>", i*7919%(p.n/5))}
	return nil
}

// The first query after an update opens nothing of the base that the query before the
// update had open, and takes hardly more looks into the cache over a large base than
// over a small one.
func TestFirstQueryAfterUpdate(t *testing.T) {
	q := sparql.MustParse("SELECT ?p ?o { ?person ?p ?o }")
	var looks []uint64
	for _, size := range []int{longtest.Pick(60_000, 250_000), longtest.Pick(240_000, 1_000_000)} {
		db, err := retetest.Init(t.Context(), filepath.Join(t.TempDir(), "m.rete-manifest.json"),
			&engine.InitOptions{Bases: []engine.Source{{Quads: &population{n: size}}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		insert := func(person, n int) {
			t.Helper()
			_, err := db.Write(t.Context(), func(tx *rete.Tx) error {
				return tx.Insert(t.Context(), rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/person/%d", person)), P: rdf.IRI("http://ex/p1"), O: rdf.Integer(int64(n))})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		ask := func(person int) (rows int) {
			t.Helper()
			snap, err := db.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			got, err := snap.Select(t.Context(), q, sparql.Bind("person", rdf.IRI(fmt.Sprintf("http://ex/person/%d", person))))
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range got.All() {
				if err != nil {
					t.Fatal(err)
				}
				rows++
			}
			return rows
		}
		insert(0, 0)
		for person := range 50 {
			ask(person)
		}
		before := cache.StatsOf(db.Engine().Cache())
		for i := range 200 {
			insert(i%50, i)
			if rows := ask(i % 50); rows < 5+i/50 {
				t.Fatalf("%d quads, update %d: %d rows", size, i, rows)
			}
		}
		after := cache.StatsOf(db.Engine().Cache())
		if n := after.Loads - before.Loads; n > 0 {
			t.Errorf("%d quads: %d units of the base were opened again", size, n)
		}
		looks = append(looks, after.Hits-before.Hits)
	}
	if looks[1]*2 > looks[0]*3 {
		t.Errorf("%d looks into the cache over the small base, %d over the large one", looks[0], looks[1])
	}
	t.Logf("looks into the cache: %v", looks)
}
