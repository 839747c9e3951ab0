package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// ways are those in which quads come into a graph.
var ways = map[string]func(t *testing.T, fsys vfs.FS, quads []rdf.Quad) error{
	"init": func(t *testing.T, fsys vfs.FS, quads []rdf.Quad) error {
		opt := &engine.InitOptions{Bases: []engine.Source{{Name: "doc.nq", Reader: lines(quads)}}}
		return firstOf(engine.Init(t.Context(), manifestName, opt, limitOptions(fsys)))
	},
	"write": func(t *testing.T, fsys vfs.FS, quads []rdf.Quad) error {
		return onDB(t, fsys, func(db *engine.DB) error {
			_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), quads...) })
			return err
		})
	},
	"add a document": func(t *testing.T, fsys vfs.FS, quads []rdf.Quad) error {
		return onDB(t, fsys, func(db *engine.DB) error {
			_, err := db.Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: "doc.nq", Reader: lines(quads)}}}, nil)
			return err
		})
	},
	"add quads": func(t *testing.T, fsys vfs.FS, quads []rdf.Quad) error {
		return onDB(t, fsys, func(db *engine.DB) error {
			var list []model.Quad
			for _, q := range quads {
				list = append(list, modelQuad(q))
			}
			_, err := db.Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: "made", Quads: &quadReader{list}}}}, nil)
			return err
		})
	},
}

func modelQuad(q rdf.Quad) model.Quad {
	return model.Quad{q.S.Surface(), q.P.Surface(), q.O.Surface(), q.G.Surface()}
}

// lines is quads as a document.
func lines(quads []rdf.Quad) *bytes.Reader {
	var b []byte
	for _, q := range quads {
		raw := q.Raw()
		b = nquads.AppendQuad(b, &raw)
	}
	return bytes.NewReader(b)
}

// limitOptions let the longest quad go through the journal.
func limitOptions(fsys vfs.FS) *engine.Options {
	o := memOptions(fsys)
	o.MaxBatchBytes = 2 * rdf.MaxQuad
	return o
}

func firstOf(db *engine.DB, err error) error {
	if err == nil {
		err = db.Close()
	}
	return err
}

// onDB makes an empty graph if there is none, and calls f on it.
func onDB(t *testing.T, fsys vfs.FS, f func(db *engine.DB) error) error {
	t.Helper()
	db, err := engine.Open(t.Context(), manifestName, limitOptions(fsys))
	if err != nil {
		db, err = engine.Init(t.Context(), manifestName, nil, limitOptions(fsys))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	return f(db)
}

// holds checks that the graph can be opened and has these quads, then seals it,
// compacts it and checks again, and at last that all of it is right.
func holds(t *testing.T, what string, fsys vfs.FS, quads []rdf.Quad) {
	t.Helper()
	var want []model.Quad
	for _, q := range quads {
		want = append(want, modelQuad(q))
	}
	slices.SortFunc(want, func(a, b model.Quad) int { return slices.Compare(a[:], b[:]) })
	want = slices.Compact(want)
	same := func(step string, db *engine.DB) {
		t.Helper()
		snap, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("%s, %s: %.300v", what, step, err)
		}
		defer snap.Close()
		var got []model.Quad
		if err := quadtest.Each(snap.Quads(t.Context(), dataset.Pattern{}), collect(&got)); err != nil {
			t.Fatalf("%s, %s: %.300v", what, step, err)
		}
		slices.SortFunc(got, func(a, b model.Quad) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(got, want) {
			t.Fatalf("%s, %s: %d quads that are not the %d", what, step, len(got), len(want))
		}
	}
	for _, step := range []func(db *engine.DB) error{
		func(*engine.DB) error { return nil },
		func(db *engine.DB) error {
			if _, err := db.Seal(t.Context(), nil); !errors.Is(err, engine.ErrNothingToSeal) {
				return err
			}
			return nil
		},
		func(db *engine.DB) error {
			if _, err := db.Compact(t.Context(), nil); !errors.Is(err, engine.ErrCompact) {
				return err
			}
			return nil
		},
	} {
		if err := onDB(t, fsys, func(db *engine.DB) error {
			if err := step(db); err != nil {
				return err
			}
			same("in place", db)
			return nil
		}); err != nil {
			t.Fatalf("%s: %.300v", what, err)
		}
	}
	if err := onDB(t, fsys, func(db *engine.DB) error { same("opened again", db); return nil }); err != nil {
		t.Fatal(err)
	}
	report, err := engine.Check(t.Context(), manifestName, nil, limitOptions(fsys))
	if err != nil || !report.OK {
		t.Fatalf("%s: check: %v, %.300v", what, err, report)
	}
}

// alike makes n quads with a long term each, that all begin alike.
func alike(n, size int, quad func(i int, text string) rdf.Quad) (quads []rdf.Quad) {
	for i := range n {
		end := fmt.Sprint(i)
		quads = append(quads, quad(i, strings.Repeat("x", max(size-len(end), 0))+end))
	}
	return quads
}

var (
	inGraph = func(_ int, text string) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o"), G: rdf.IRI("x:" + text)}
	}
	inLiteral = func(_ int, text string) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.String(text)}
	}
	inSubject = func(_ int, text string) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("x:" + text), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}
	}
	inPredicate = func(_ int, text string) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:" + text), O: rdf.IRI("x:o")}
	}
	inTriple = func(_ int, text string) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.TripleTerm(rdf.IRI("x:s"), rdf.IRI("x:p"), rdf.String(text)), G: rdf.IRI("x:" + text[:10])}
	}
	everywhere = func(_ int, text string) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("x:" + text), P: rdf.IRI("x:" + text), O: rdf.IRI("x:" + text), G: rdf.IRI("x:" + text)}
	}
)

// TestHostileSizes: terms of the sizes at which pages, chunks and copies of the format
// end, one less and one more, alone and many together.
func TestHostileSizes(t *testing.T) {
	places := map[string]func(int, string) rdf.Quad{
		"graph": inGraph, "literal": inLiteral, "subject": inSubject, "predicate": inPredicate, "triple term": inTriple, "everywhere": everywhere}
	for at, place := range slices.Sorted(mapKeys(places)) {
		quad := places[place]
		for i, c := range []struct{ n, size int }{
			{1, 16 << 10}, {1, 32 << 10}, {3, 64 << 10}, {40, 64 << 10}, {3, 256 << 10}, {20, 256 << 10}, {1, 1 << 20}, {2, 1_100_000},
			{5, 100_000}, {longtest.Pick(300, 4500), 4000}, {200, 256},
		} {
			if !longtest.On() && (c.n*c.size > 2_300_000 || (i+at)%2 > 0) { // another half in each place
				continue
			}
			for over := -1; over <= 1; over++ {
				if over != 0 && c.n*c.size > 1_000_000 && !longtest.On() {
					continue
				}
				quads := alike(c.n, c.size+over, quad)
				way := slices.Sorted(mapKeys(ways))[(c.n+c.size+over+len(place))%len(ways)]
				for name, f := range ways {
					if name != way && !longtest.On() {
						continue
					}
					fsys := vfs.NewMem()
					what := fmt.Sprintf("%s, %d of %d, by %s", place, c.n, c.size+over, name)
					if err := f(t, fsys, quads); err != nil {
						t.Fatalf("%s: %.300v", what, err)
					}
					holds(t, what, fsys, quads)
				}
			}
		}
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestLongestQuads: up to the limit a quad comes in by every way and stays; beyond it
// none takes it, and nothing is changed.
func TestLongestQuads(t *testing.T) {
	long := strings.Repeat("x", rdf.MaxQuad)
	for place, quad := range map[string]func(int, string) rdf.Quad{"literal": inLiteral, "subject": inSubject, "graph": inGraph} {
		rest := lines([]rdf.Quad{quad(0, "")}).Len()
		for over := -1; over <= 1; over++ {
			if !longtest.On() && (over < 0 || place != "literal") {
				continue
			}
			q := quad(0, long[:rdf.MaxQuad-rest+over])
			if n := lines([]rdf.Quad{q}).Len(); n != rdf.MaxQuad+over {
				t.Fatalf("%s: a line of %d bytes", place, n)
			}
			for name, f := range ways {
				if !longtest.On() && over == 0 && name != "write" {
					continue
				}
				fsys := vfs.NewMem()
				before := []rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}}
				if name != "init" {
					if err := ways["write"](t, fsys, before); err != nil {
						t.Fatal(err)
					}
				}
				what := fmt.Sprintf("%s, %+d, by %s", place, over, name)
				err := f(t, fsys, []rdf.Quad{q})
				var invalid *rdf.InvalidError
				switch {
				case over <= 0 && err != nil:
					t.Errorf("%s: %.300v", what, err)
				case over <= 0 && name == "init":
					holds(t, what, fsys, []rdf.Quad{q})
				case over <= 0:
					holds(t, what, fsys, append(before, q))
				case !errors.As(err, &invalid) || !invalid.TooLarge || len(err.Error()) > 300:
					t.Errorf("%s: error %.300v", what, err)
				case name != "init":
					holds(t, what, fsys, before)
				}
			}
		}
	}
}

// TestAcknowledgedStaysOpen: whatever random writes of long terms were taken, the graph
// opens after each seal and compaction and has all of it.
func TestAcknowledgedStaysOpen(t *testing.T) {
	for seed := range uint64(longtest.Pick(6, 300)) {
		r := rand.New(rand.NewPCG(seed, 11))
		size := func() int { return []int{1, 10, 200, 3000, 33_000, 70_000, 270_000}[min(r.IntN(9), r.IntN(9), 6)] }
		prefixes := []string{strings.Repeat("a", size()), strings.Repeat("b", size()), ""}
		text := func() string {
			return prefixes[r.IntN(3)] + strings.Repeat(string(rune('a'+r.IntN(3))), size()) + fmt.Sprint(r.IntN(5))
		}
		fsys := vfs.NewMem()
		var all []rdf.Quad
		total := 0
		for step := 0; step < 4; step++ {
			var quads []rdf.Quad
			for range 1 + r.IntN(20) {
				if total > 3<<20 {
					break
				}
				q := []func(int, string) rdf.Quad{inGraph, inLiteral, inSubject, inPredicate, everywhere}[r.IntN(5)](0, text())
				total += len(q.S.Surface()) + len(q.P.Surface()) + len(q.O.Surface()) + len(q.G.Surface())
				quads = append(quads, q)
			}
			way := []string{"write", "write", "add a document", "add quads"}[r.IntN(4)]
			what := fmt.Sprintf("seed %d, step %d, by %s", seed, step, way)
			if err := ways[way](t, fsys, quads); err != nil {
				t.Fatalf("%s: %.300v", what, err)
			}
			all = append(all, quads...)
			if step%2 == 1 {
				holds(t, what, fsys, all)
			}
		}
	}
}
