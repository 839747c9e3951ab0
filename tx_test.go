package rete_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/internal/storetest"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/updatemodel"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

// newStore makes a database in memory with quads in its first segment.
func newStore(t testing.TB, quads []rdf.Quad) (*rete.DB, *engine.Options) {
	t.Helper()
	opt := &engine.Options{FS: vfs.NewMem()}
	init := &engine.InitOptions{}
	if len(quads) > 0 {
		var text []byte
		for _, q := range quads {
			raw := q.Raw()
			text = nquads.AppendQuad(text, &raw)
		}
		init.Bases = []engine.Source{{Name: "base.nq", Reader: strings.NewReader(string(text)), Format: rdfio.NQuads}}
	}
	db, err := retetest.Init(t.Context(), "m.rete-manifest.json", init, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	storetest.Cleanup(t, "m.rete-manifest.json", opt)
	return db, opt
}

var everything = sparql.MustParse("SELECT ?s ?p ?o ?g { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }")

// quadsOf returns all quads of a dataset.
func quadsOf(ctx context.Context, ds dataset.Dataset) ([]rdf.Quad, error) {
	rows, err := sparql.Select(ctx, ds, everything)
	if err != nil {
		return nil, err
	}
	var out []rdf.Quad
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		out = append(out, rdf.Quad{S: row.At(0), P: row.At(1), O: row.At(2), G: row.At(3)})
	}
	return out, nil
}

// current returns all quads of a database.
func current(t testing.TB, db *rete.DB) []rdf.Quad {
	t.Helper()
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	out, err := quadsOf(t.Context(), snap.Dataset())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestW3CUpdate runs the update suites on a database: with the data in a segment,
// and with the data in the journal.
func TestW3CUpdate(t *testing.T) {
	for _, place := range []string{"segment", "journal"} {
		t.Run(place, func(t *testing.T) {
			for _, suite := range []string{"sparql11", "sparql12"} {
				sparqlsuite.Load(t, suite).RunUpdates(t, func(quads []rdf.Quad, u *sparql.Update) ([]rdf.Quad, error) {
					base := quads
					if place == "journal" {
						base = nil
					}
					db, _ := newStore(t, base)
					if place == "journal" {
						if _, err := db.Write(t.Context(), func(tx *rete.Tx) error { return tx.Insert(t.Context(), quads...) }); err != nil {
							return nil, err
						}
					}
					if _, err := db.Execute(t.Context(), u); err != nil {
						return nil, err
					}
					return current(t, db), nil
				})
			}
		})
	}
}

var (
	updateRuns = flag.Int("update.runs", 150, "sequences of random updates to try")
	updateSeed = flag.Uint64("update.seed", 0, "the seed of the first sequence; 0: any")
)

// TestUpdateModel carries out random sequences of requests on a database, which is
// sealed, compacted and opened anew now and then, and on a model.
func TestUpdateModel(t *testing.T) {
	first := *updateSeed
	if first == 0 {
		first = rand.Uint64() >> 1
	}
	for i := range *updateRuns {
		updateSequence(t, first+uint64(i), i%4 == 0)
		if t.Failed() {
			return
		}
	}
}

func updateSequence(t *testing.T, seed uint64, blank bool) {
	r := rand.New(rand.NewPCG(seed, 0))
	store := updatemodel.Store{}
	for range 3 {
		if next, err := updatemodel.Random(r, false).Apply(store); err == nil {
			store = next
		}
	}
	db, opt := newStore(t, store.Quads())
	for range 6 {
		req := updatemodel.Random(r, blank)
		want, wantErr := req.Apply(store)
		u, err := sparql.ParseUpdate(req.Text, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, req.Text)
		}
		if _, err = db.Execute(t.Context(), u); (err == nil) != (wantErr == nil) {
			t.Fatalf("seed %d: got the error %v, want %v\n%s", seed, err, wantErr, req.Text)
		}
		before := store
		store = want
		if got := current(t, db); !sameQuads(got, store, blank) {
			t.Fatalf("seed %d\nbefore %v\n%s\ngot  %v\nwant %v", seed, before.Quads(), req.Text, got, store.Quads())
		}
		switch r.IntN(6) {
		case 0:
			if _, err := db.Engine().Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
				t.Fatalf("seed %d: seal: %v", seed, err)
			}
		case 1:
			if _, err := db.Engine().Compact(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrCompact) {
				t.Fatalf("seed %d: compact: %v", seed, err)
			}
		case 2:
		default:
			continue
		}
		if got := current(t, db); !sameQuads(got, store, blank) {
			t.Fatalf("seed %d: after upkeep\ngot  %v\nwant %v", seed, got, store.Quads())
		}
		other, err := rete.Open(t.Context(), "m.rete-manifest.json", &engine.Options{FS: opt.FS, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := current(t, other); !sameQuads(got, store, blank) {
			t.Errorf("seed %d: opened anew\ngot  %v\nwant %v", seed, got, store.Quads())
		}
		other.Close()
	}
}

// sameQuads compares quads with a store, up to the names of blank nodes.
func sameQuads(got []rdf.Quad, want updatemodel.Store, blank bool) bool {
	if blank {
		return isomorphic.Equal(got, want.Quads())
	}
	for _, q := range got {
		if _, ok := want[q]; !ok {
			return false
		}
	}
	return len(got) == len(want)
}

func ex(name string) rdf.Term { return rdf.IRI("http://ex/" + name) }

func triple(s, p string, o rdf.Term) rdf.Quad { return rdf.Quad{S: ex(s), P: ex(p), O: o} }

// TestWrite: a transaction sees its own writes, and others see all of it or none.
func TestWrite(t *testing.T) {
	ctx := t.Context()
	db, _ := newStore(t, []rdf.Quad{triple("a", "p", rdf.Integer(1))})
	old, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	change := sparql.MustParseUpdate("PREFIX : <http://ex/> DELETE { ?s :p ?o } INSERT { ?s :q ?o } WHERE { ?s :p ?o }")
	count := sparql.MustParse("PREFIX : <http://ex/> SELECT (COUNT(*) AS ?n) { ?s :q ?o }")
	done, err := db.Write(ctx, func(tx *rete.Tx) error {
		if err := tx.Insert(ctx, triple("b", "p", rdf.Integer(2)), triple("c", "p", rdf.Integer(3))); err != nil {
			return err
		}
		if err := tx.Delete(ctx, triple("c", "p", rdf.Integer(3)), triple("none", "p", rdf.Integer(3))); err != nil {
			return err
		}
		if err := tx.Execute(ctx, change); err != nil {
			return err
		}
		rows, err := tx.Select(ctx, count)
		if err != nil {
			return err
		}
		for row, err := range rows.All() {
			var n int
			if err == nil {
				err = row.Scan(&n)
			}
			if n != 2 || err != nil {
				t.Errorf("the transaction sees %d rows: %v", n, err)
			}
		}
		if n := len(current(t, db)); n != 1 {
			t.Errorf("others see %d quads before the end", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []rdf.Quad{triple("a", "q", rdf.Integer(1)), triple("b", "q", rdf.Integer(2))}
	if got := current(t, db); !isomorphic.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, err := quadsOf(ctx, old.Dataset()); err != nil || len(got) != 1 || got[0] != triple("a", "p", rdf.Integer(1)) {
		t.Errorf("the old snapshot has %v: %v", got, err)
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if done.Changes != 3 || done.State != snap.State() || done.State == old.State() {
		t.Errorf("done %+v, state %s", done, snap.State())
	}
	if _, err := db.Write(ctx, func(*rete.Tx) error { return nil }, rete.IfState(old.State())); !errors.Is(err, rete.ErrConflict) {
		t.Errorf("on an old state: %v", err)
	}
	if _, err := db.Write(ctx, func(*rete.Tx) error { return nil }, rete.IfState(done.State)); err != nil {
		t.Errorf("on the state: %v", err)
	}
}

// TestWriteFails: a transaction of which something failed leaves nothing, also when
// the function goes on as if nothing were.
func TestWriteFails(t *testing.T) {
	ctx := t.Context()
	before := []rdf.Quad{triple("a", "p", rdf.Integer(1))}
	db, _ := newStore(t, before)
	third := sparql.MustParseUpdate("PREFIX : <http://ex/> INSERT DATA { :b :p 2 } ; DELETE DATA { :a :p 1 } ; COPY :none TO :g")
	told := errors.New("told to fail")
	for name, f := range map[string]func(*rete.Tx) error{
		"an error of the function": func(tx *rete.Tx) error {
			return errors.Join(tx.Insert(ctx, triple("b", "p", rdf.Integer(2))), told)
		},
		"the third operation":          func(tx *rete.Tx) error { return tx.Execute(ctx, third) },
		"the third operation, ignored": func(tx *rete.Tx) error { _ = tx.Execute(ctx, third); return nil },
		"invalid quad, ignored": func(tx *rete.Tx) error {
			_ = tx.Insert(ctx, rdf.Quad{S: rdf.String("x"), P: ex("p"), O: ex("o")})
			return tx.Insert(ctx, triple("b", "p", rdf.Integer(2)))
		},
		"a cancelled context": func(tx *rete.Tx) error {
			gone, cancel := context.WithCancel(ctx)
			cancel()
			_ = tx.Execute(gone, third)
			return nil
		},
	} {
		done, err := db.Write(ctx, f)
		if err == nil {
			t.Errorf("%s: no error, %+v", name, done)
		}
		if got := current(t, db); !slices.Equal(got, before) {
			t.Errorf("%s: left %v", name, got)
		}
	}
	if _, err := db.Execute(ctx, third); !errors.Is(err, sparql.ErrNoGraph) {
		t.Errorf("error %v", err)
	}
}

// TestUpdateLabels: new blank nodes differ in every transaction, also after the
// database was opened anew.
func TestUpdateLabels(t *testing.T) {
	ctx := t.Context()
	db, opt := newStore(t, nil)
	u := sparql.MustParseUpdate("INSERT DATA { _:x <http://ex/p> 1 }")
	for i := range 3 {
		if _, err := db.Execute(ctx, u); err != nil {
			t.Fatal(err)
		}
		if n := len(current(t, db)); n != i+1 {
			t.Errorf("%d quads after %d updates", n, i+1)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := rete.Open(ctx, "m.rete-manifest.json", opt)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Execute(ctx, u); err != nil {
		t.Fatal(err)
	}
	if n := len(current(t, again)); n != 4 {
		t.Errorf("%d quads, want 4", n)
	}
}

// TestUpdateCounter: increments by many writers are all counted.
func TestUpdateCounter(t *testing.T) {
	ctx := t.Context()
	db, _ := newStore(t, []rdf.Quad{triple("counter", "is", rdf.Integer(0))})
	u := sparql.MustParseUpdate("PREFIX : <http://ex/> DELETE { :counter :is ?n } INSERT { :counter :is ?m } WHERE { :counter :is ?n BIND(?n + 1 AS ?m) }")
	writers, each := 16, longtest.Pick(50, 1000)
	errs := make(chan error, writers)
	for range writers {
		go func() {
			for range each {
				if _, err := db.Execute(ctx, u); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(current(t, db)); !strings.Contains(got, fmt.Sprintf(`"%d"`, writers*each)) {
		t.Errorf("got %s, want %d", got, writers*each)
	}
}

// TestUpdateTransfers moves amounts between accounts in two graphs, while readers
// sum over both: the sum is the same in every snapshot.
func TestUpdateTransfers(t *testing.T) {
	ctx := t.Context()
	var accounts []rdf.Quad
	for i := range 8 {
		q := triple(fmt.Sprint("account", i), "has", rdf.Integer(100))
		q.G = ex([]string{"g", "h"}[i%2])
		accounts = append(accounts, q)
	}
	db, _ := newStore(t, accounts)
	move := sparql.MustParseUpdate(`PREFIX : <http://ex/>
		DELETE { GRAPH ?g { ?from :has ?a } } INSERT { GRAPH ?g { ?from :has ?b } } WHERE { GRAPH ?g { ?from :has ?a } BIND(?a - ?n AS ?b) } ;
		DELETE { GRAPH ?g { ?to :has ?a } } INSERT { GRAPH ?g { ?to :has ?b } } WHERE { GRAPH ?g { ?to :has ?a } BIND(?a + ?n AS ?b) }`)
	sum := sparql.MustParse("SELECT (SUM(?a) AS ?sum) (COUNT(*) AS ?n) { GRAPH ?g { ?s <http://ex/has> ?a } }")
	const writers, readers, each = 4, 3, 40
	errs := make(chan error, writers+readers)
	done := make(chan struct{})
	for w := range writers {
		go func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for range each {
				from, to := r.IntN(8), r.IntN(8)
				_, err := db.Execute(ctx, move, sparql.Bind("n", rdf.Integer(r.Int64N(50))),
					sparql.Bind("from", accounts[from].S), sparql.Bind("to", accounts[to].S))
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range readers {
		go func() { errs <- checkSums(ctx, db, sum, done) }()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	close(done)
	for range readers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// checkSums looks at snapshots until it is done.
func checkSums(ctx context.Context, db *rete.DB, sum *sparql.Query, done chan struct{}) error {
	for {
		snap, err := db.Snapshot(ctx)
		if err != nil {
			return err
		}
		rows, err := snap.Select(ctx, sum)
		if err != nil {
			return err
		}
		for row, err := range rows.All() {
			if err != nil {
				return err
			}
			var r struct {
				Sum int `rete:"sum"`
				N   int `rete:"n"`
			}
			if err := row.Scan(&r); err != nil {
				return err
			}
			if r.Sum != 800 {
				return fmt.Errorf("state %s: the sum of %d accounts is %d, want 800", snap.State(), r.N, r.Sum)
			}
		}
		if err := snap.Close(); err != nil {
			return err
		}
		select {
		case <-done:
			return nil
		default:
		}
	}
}
