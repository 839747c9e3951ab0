package stats_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
)

const ex = "http://example.org/"

// randomQuad draws a quad of a small vocabulary, so that quads come again.
func randomQuad(r *rand.Rand, graphs int) rdf.Quad {
	node := func() rdf.Term {
		if n := r.IntN(12); n > 1 {
			return rdf.IRI(ex + fmt.Sprint(n))
		}
		return rdf.Blank(fmt.Sprint("b", r.IntN(3)))
	}
	q := rdf.Quad{S: node(), P: rdf.IRI(ex + "p" + fmt.Sprint(r.IntN(5)))}
	switch r.IntN(8) {
	case 0:
		q.P, q.O = rdf.IRI(rdf.RDF+"type"), rdf.IRI(ex+"C"+fmt.Sprint(r.IntN(4)))
	case 1:
		q.O = rdf.LangString(fmt.Sprint("t", r.IntN(5)), []string{"en", "fr", "de-ch"}[r.IntN(3)])
	case 2:
		q.O = rdf.Integer(r.Int64N(20))
	case 3:
		q.O = rdf.String(fmt.Sprint("s", r.IntN(20)))
	case 4:
		q.O = rdf.Typed(fmt.Sprint(r.IntN(4)), ex+"type"+fmt.Sprint(r.IntN(3)))
	case 5:
		q.O = rdf.DirLangString("x", "ar", "rtl")
	case 6:
		q.O = rdf.TripleTerm(node(), q.P, rdf.String("s"))
	default:
		q.O = node()
	}
	if g := r.IntN(graphs + 1); g > 0 {
		q.G = rdf.IRI(ex + "g" + fmt.Sprint(g))
	}
	return q
}

// open returns a new database in a folder.
func open(t *testing.T, opt *engine.InitOptions) *engine.DB {
	t.Helper()
	db, err := engine.Init(t.Context(), filepath.Join(t.TempDir(), "m.rete-manifest.json"), opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// change commits quads to the journal.
func change(t *testing.T, db *engine.DB, add, del []rdf.Quad) {
	t.Helper()
	_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		if err := tx.Delete(t.Context(), del...); err != nil {
			return err
		}
		return tx.Insert(t.Context(), add...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func collect(t *testing.T, db *engine.DB, opt *stats.Options) *stats.Stats {
	t.Helper()
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	s, err := stats.Collect(t.Context(), snap, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// naive counts quads one by one.
type naive struct {
	quads, inDefault, literals                              uint64
	graphs, predicates, classes, datatypes, langs, subjects map[rdf.Term]uint64
	literal                                                 map[rdf.Term]bool
	datatypeTerms, langTerms                                map[rdf.Term]uint64
}

func count(set map[rdf.Quad]bool) *naive {
	m := func() map[rdf.Term]uint64 { return map[rdf.Term]uint64{} }
	n := &naive{graphs: m(), predicates: m(), classes: m(), datatypes: m(), langs: m(), subjects: m(), datatypeTerms: m(), langTerms: m(), literal: map[rdf.Term]bool{}}
	for q := range set {
		n.quads++
		if q.G.IsZero() {
			n.inDefault++
		} else {
			n.graphs[q.G]++
		}
		n.predicates[q.P]++
		n.subjects[q.S]++
		if q.P == rdf.IRI(rdf.RDF+"type") {
			n.classes[q.O]++
		}
		if q.O.Kind() != rdf.KindLiteral {
			continue
		}
		n.literals++
		n.datatypes[rdf.IRI(q.O.Datatype())]++
		if q.O.Language() != "" {
			n.langs[rdf.String(q.O.Language())]++
		}
		if !n.literal[q.O] {
			n.literal[q.O] = true
			n.datatypeTerms[rdf.IRI(q.O.Datatype())]++
			n.langTerms[rdf.String(q.O.Language())]++
		}
	}
	return n
}

// compare compares a list with what it should be; top is how many entries it may have.
func compare(t *testing.T, what string, got stats.List, want map[rdf.Term]uint64, top int) {
	t.Helper()
	entries := len(want)
	if top > 0 {
		entries = min(entries, top)
	}
	if got.Distinct != uint64(len(want)) || len(got.Entries) != entries {
		t.Errorf("%s: %d entries of %d, want %d of %d", what, len(got.Entries), got.Distinct, entries, len(want))
	}
	seen := map[rdf.Term]bool{}
	least := ^uint64(0)
	for _, e := range got.Entries {
		if e.Quads != want[e.Term] || seen[e.Term] || e.Quads > least {
			t.Errorf("%s: %s has %d, want %d", what, e.Term, e.Quads, want[e.Term])
		}
		seen[e.Term], least = true, e.Quads
	}
	for term, n := range want {
		if !seen[term] && n > least {
			t.Errorf("%s: %s with %d is left out, and one with %d is there", what, term, n, least)
		}
	}
}

func check(t *testing.T, s *stats.Stats, n *naive, top int) {
	t.Helper()
	if s.Quads != n.quads || s.Default != n.inDefault {
		t.Errorf("%d quads, %d in the default graph, want %d and %d", s.Quads, s.Default, n.quads, n.inDefault)
	}
	compare(t, "graphs", s.Graphs, n.graphs, top)
	compare(t, "predicates", s.Predicates, n.predicates, top)
	compare(t, "classes", s.Classes, n.classes, top)
	l := s.Literals
	if l.Quads != n.literals || l.Distinct != uint64(len(n.literal)) {
		t.Errorf("%d literals in %d quads, want %d in %d", l.Distinct, l.Quads, len(n.literal), n.literals)
	}
	compare(t, "datatypes", l.Datatypes, n.datatypes, top)
	compare(t, "languages", l.Languages, n.langs, top)
	for _, e := range l.Datatypes.Entries {
		if e.Terms != n.datatypeTerms[e.Term] {
			t.Errorf("%s: %d literals, want %d", e.Term, e.Terms, n.datatypeTerms[e.Term])
		}
	}
	for _, e := range l.Languages.Entries {
		if e.Terms != n.langTerms[e.Term] {
			t.Errorf("%s: %d literals, want %d", e.Term, e.Terms, n.langTerms[e.Term])
		}
	}
	if top == 0 {
		top = 20
	}
	compare(t, "subjects", s.Subjects.List, n.subjects, top)
}

// TestStats: over random logs of adds and deletes, sealed, compacted and in the journal, the
// counts are those of a naive count.
func TestStats(t *testing.T) {
	for seed := range uint64(longtest.Pick(12, 200)) {
		r := rand.New(rand.NewPCG(seed, 1))
		graphs := []int{0, 1, 3, 80}[r.IntN(4)]
		db := open(t, &engine.InitOptions{})
		set := map[rdf.Quad]bool{}
		for range 1 + r.IntN(8) {
			var add, del []rdf.Quad
			for range r.IntN(150) {
				q := randomQuad(r, graphs)
				add = append(add, q)
			}
			for q := range set {
				if r.IntN(4) == 0 {
					del = append(del, q)
				}
			}
			change(t, db, add, del)
			for _, q := range del {
				delete(set, q)
			}
			for _, q := range add {
				set[q] = true
			}
			switch r.IntN(4) {
			case 0, 1:
				if _, err := db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
					t.Fatal(err)
				}
			case 2:
				if _, err := db.Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
					t.Fatal(err)
				}
			}
		}
		n := count(set)
		for _, opt := range []stats.Options{{}, {Top: 3}, {Workers: 3, Memory: 1 << 16}} {
			check(t, collect(t, db, &opt), n, opt.Top)
			if t.Failed() {
				t.Fatalf("seed %d, %+v", seed, opt)
			}
		}
		if s := collect(t, db, &stats.Options{Quick: true}); s.Literals != nil || s.Subjects != nil || s.Quads != n.quads {
			t.Errorf("quick: %+v", s)
		}
	}
}

// TestMemory: what does not fit is an error, and the rest is done in passes.
func TestMemory(t *testing.T) {
	db := open(t, &engine.InitOptions{})
	set := map[rdf.Quad]bool{}
	var quads []rdf.Quad
	for i := range 20_000 {
		q := rdf.Quad{S: rdf.IRI(ex + fmt.Sprint("s", i%9000)), P: rdf.IRI(ex + "p"), O: rdf.Integer(int64(i))}
		quads = append(quads, q)
		set[q] = true
	}
	change(t, db, quads, nil)
	if _, err := db.Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	check(t, collect(t, db, &stats.Options{Memory: 1 << 16}), count(set), 0)

	var types []rdf.Quad
	for i := range 2000 {
		types = append(types, rdf.Quad{S: rdf.IRI(ex + "s"), P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI(ex + fmt.Sprint("C", i))})
	}
	change(t, db, types, nil)
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if _, err := stats.Collect(t.Context(), snap, &stats.Options{Memory: 1 << 16}); !errors.Is(err, stats.ErrMemory) {
		t.Errorf("2000 classes in 64 KiB: %v", err)
	}
	if s, err := stats.Collect(t.Context(), snap, &stats.Options{Memory: 1 << 16, Top: 10}); err != nil || s.Classes.Distinct != 2000 {
		t.Errorf("ten of 2000 classes: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := stats.Collect(ctx, snap, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var _ dataset.Dataset = snap
}

// decodedUnits returns how many tiles, chunks and pages statistics decode of a database of
// people, with some entries of the log above the first one.
func decodedUnits(t *testing.T, people, entries int, opt *stats.Options) uint64 {
	t.Helper()
	db := open(t, &engine.InitOptions{})
	quads := make([]rdf.Quad, 0, 4*people)
	for i := range people {
		s := rdf.IRI(ex + fmt.Sprint("s", i))
		quads = append(quads,
			rdf.Quad{S: s, P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI(ex + fmt.Sprint("C", i%3))},
			rdf.Quad{S: s, P: rdf.IRI(ex + "knows"), O: rdf.IRI(ex + fmt.Sprint("s", i*7919%people))},
			rdf.Quad{S: s, P: rdf.IRI(ex + "name"), O: rdf.String(fmt.Sprint("name ", i))},
			rdf.Quad{S: s, P: rdf.IRI(ex + "age"), O: rdf.Integer(int64(i % 90))})
	}
	change(t, db, quads, nil)
	for e := range entries + 1 {
		if e > 0 {
			change(t, db, []rdf.Quad{{S: rdf.IRI(ex + fmt.Sprint("new", e)), P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI(ex + "C1")}}, quads[e*100:e*100+3])
		}
		if _, err := db.Seal(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	again, err := engine.Open(t.Context(), db.Name(), nil) // with a cache of its own
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	snap, err := again.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if _, err := stats.Collect(t.Context(), snap, opt); err != nil {
		t.Fatal(err)
	}
	n, _ := snap.Loaded()
	return n
}

// TestTilesRead: what directories tell is not read from tiles. Quads, graphs, predicates and
// classes take a few tiles for each, whatever the number of quads, over entries of the log too.
func TestTilesRead(t *testing.T) {
	quick := &stats.Options{Quick: true}
	for _, entries := range []int{0, 5} {
		few, many := decodedUnits(t, 2000, entries, quick), decodedUnits(t, 20_000, entries, quick)
		t.Logf("%d entries: %d units of 8,000 quads, %d of 80,000", entries, few, many)
		if many > few+8+4*uint64(entries) {
			t.Errorf("%d entries: %d units of 8,000 quads, %d of 80,000", entries, few, many)
		}
	}
	if few, many := decodedUnits(t, 2000, 0, nil), decodedUnits(t, 20_000, 0, nil); many < few+8 {
		t.Errorf("with scans %d units of 8,000 quads, %d of 80,000", few, many) // else the test says nothing
	}
}
