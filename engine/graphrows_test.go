package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// A part of a scan of the union of many graphs that is empty has no graph rows:
// where the base cannot be cut, the first part has all.
func TestGraphRowsParts(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	var text strings.Builder
	for g := range 200 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p> <http://e/o> <http://e/g%03d> .\n", g, g)
		if g%48 == 33 { // no graph that is looked at for cuts
			fmt.Fprintf(&text, "<http://e/s%d> <http://e/rare> <http://e/o> <http://e/g%03d> .\n", g, g)
		}
	}
	addDB(t, db, engine.Step{Adds: doc(text.String())})
	s := snapshot(t, db)
	list := make([]dataset.ID, 3)
	terms := []rdf.Term{rdf.IRI("http://e/s33"), rdf.IRI("http://e/rare"), rdf.IRI("http://e/o")}
	if err := s.Lookup(t.Context(), terms, list); err != nil {
		t.Fatal(err)
	}
	merge := dataset.Graphs{Mode: dataset.Merge}
	for want, p := range map[int]dataset.Pattern{
		4: {P: list[1], G: merge}, 1: {S: list[0], P: list[1], O: list[2], G: merge}, 204: {G: merge},
	} {
		got := 0
		for part := range 3 {
			n, err := rowsOf(t, s, p, s.Orders(p)[0], &dataset.ScanOptions{Cols: 1 << dataset.S, Part: part, Parts: 3})
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
		if got != want {
			t.Errorf("%+v: %d rows in three parts, want %d", p, got, want)
		}
	}
}

// An estimate over many graphs, of which the journal speaks of some, holds the number of
// rows between its bounds and is near it.
func TestGraphRowsEstimate(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	var text strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> <http://e/o> <http://e/g%03d> .\n", i, i%2, i%300)
	}
	addDB(t, db, engine.Step{Adds: doc(text.String())})
	_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		var quads []rdf.Quad
		for g := range 30 {
			quads = append(quads, rdf.Quad{S: rdf.IRI("http://e/s"), P: rdf.IRI("http://e/p1"), O: rdf.IRI("http://e/new"), G: rdf.IRI(fmt.Sprintf("http://e/g%03d", g))})
		}
		return tx.Insert(t.Context(), quads...)
	})
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, db)
	pred := make([]dataset.ID, 1)
	if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface("<http://e/p1>")}, pred); err != nil {
		t.Fatal(err)
	}
	for _, p := range []dataset.ID{0, pred[0]} {
		for _, mode := range []dataset.GraphMode{dataset.Merge, dataset.Each} {
			p := dataset.Pattern{P: p, G: dataset.Graphs{Mode: mode}}
			n, err := s.Count(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Estimate(t.Context(), p)
			if err != nil || c.Low > n || c.High < n || c.Guess < n*4/5 || c.Guess > n*6/5 {
				t.Errorf("%+v: %d rows, estimated %+v, %v", p, n, c, err)
			}
		}
	}
}

// Over many small graphs, of which an entry and the journal changed most, a pattern opens the graphs alone that have
// rows for it: what scans, counts and estimates allocate does not grow with the graphs that changed.
func TestGraphRowsOfChanged(t *testing.T) {
	const graphs = 600
	db := initDB(t, vfs.NewMem())
	name := func(kind string, n int) rdf.Term { return rdf.IRI(fmt.Sprintf("http://e/%s%03d", kind, n)) }
	visible := map[rdf.Quad]bool{}
	var base, adds, dels strings.Builder
	add := func(to *strings.Builder, quads ...rdf.Quad) {
		for _, q := range quads {
			fmt.Fprintf(to, "%s .\n", strings.Join([]string{q.S.Surface(), q.P.Surface(), q.O.Surface(), q.G.Surface()}, " "))
			visible[q] = to != &dels
		}
	}
	every := rdf.IRI("http://e/every")
	quad := func(i int, p string, o rdf.Term) rdf.Quad {
		return rdf.Quad{S: name("s", i), P: rdf.IRI("http://e/" + p), O: o, G: name("g", i)}
	}
	for i := range graphs {
		add(&base, quad(i, "kind", name("k", i%60)), quad(i, "next", name("s", (i+1)%graphs)), rdf.Quad{S: every, P: every, O: every, G: name("g", i)})
	}
	for i := range graphs / 2 {
		add(&adds, quad(i, "note", name("n", i%100)))
		add(&dels, quad(i, "next", name("s", i+1)))
	}
	addDB(t, db, engine.Step{Adds: doc(base.String())}, engine.Step{Adds: doc(adds.String()), Dels: doc(dels.String())})
	var inserted []rdf.Quad
	for i := range graphs / 2 {
		inserted = append(inserted, quad(graphs/2+i, "note", name("n", 100+i%100)))
	}
	writeChanges(t, db, visible, inserted, nil)
	checkFewGraphs(t, snapshot(t, db), rdf.Quad{S: name("s", 7)}, visible)
	first := rdf.Quad{S: name("s", 7), P: every, O: name("new", 1), G: name("first", 0)} // a graph before the others
	writeChanges(t, db, visible, []rdf.Quad{first}, []rdf.Quad{quad(3, "kind", name("k", 3)), quad(3, "note", name("n", 3))})
	s := snapshot(t, db)
	for _, bound := range []rdf.Quad{
		{S: name("s", 2)}, {S: name("s", 3)}, {S: name("s", 7)}, {S: name("s", graphs-1)}, {S: name("k", 1)},
		{P: rdf.IRI("http://e/kind"), O: name("k", 3)}, {P: rdf.IRI("http://e/note"), O: name("n", 3)}, {P: rdf.IRI("http://e/note"), O: name("n", 104)},
		{P: rdf.IRI("http://e/next"), O: name("s", 5)}, {S: name("s", 7), P: every}, {O: name("new", 1)}, quad(4, "note", name("n", 4)),
		{S: every, P: every},
	} {
		checkFewGraphs(t, s, bound, visible)
	}
}

// writeChanges writes, and says what is visible then.
func writeChanges(t *testing.T, db *engine.DB, visible map[rdf.Quad]bool, inserted, deleted []rdf.Quad) {
	t.Helper()
	_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		if err := tx.Insert(t.Context(), inserted...); err != nil {
			return err
		}
		return tx.Delete(t.Context(), deleted...)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range inserted {
		visible[q] = true
	}
	for _, q := range deleted {
		visible[q] = false
	}
}

// checkFewGraphs compares the rows that match a quad's terms, in each graph and in the union, with the visible ones, and
// counts what asking for them allocates where they are in few graphs.
func checkFewGraphs(t *testing.T, s *engine.Snapshot, bound rdf.Quad, visible map[rdf.Quad]bool) {
	t.Helper()
	want, union := 0, map[[3]rdf.Term]bool{}
	for q, is := range visible {
		if is && (bound.S.IsZero() || bound.S == q.S) && (bound.P.IsZero() || bound.P == q.P) && (bound.O.IsZero() || bound.O == q.O) {
			want++
			union[[3]rdf.Term{q.S, q.P, q.O}] = true
		}
	}
	terms := []rdf.Term{bound.S, bound.P, bound.O}
	list := make([]dataset.ID, 3)
	for i, term := range terms {
		if !term.IsZero() {
			if err := s.Lookup(t.Context(), []rdf.Term{term}, list[i:i+1]); err != nil || list[i] == 0 {
				t.Fatalf("%v: id %d, %v", term, list[i], err)
			}
		}
	}
	few := want < 20
	for _, mode := range []dataset.GraphMode{dataset.Each, dataset.Merge} {
		if mode == dataset.Merge {
			want = len(union)
		}
		p := dataset.Pattern{S: list[0], P: list[1], O: list[2], G: dataset.Graphs{Mode: mode}}
		free, opt := p, &dataset.ScanOptions{Cols: 1 << dataset.P}
		if p.S != 0 { // the same by a set of subjects
			free.S, opt.Within[dataset.S] = 0, new(dataset.IDSet)
			opt.Within[dataset.S].AddSorted([]dataset.ID{p.S})
		}
		for _, ask := range []struct {
			what string
			f    func() (int, error)
		}{
			{"scan", func() (int, error) {
				return rowsOf(t, s, p, s.Orders(p)[0], &dataset.ScanOptions{Cols: 1 << dataset.P})
			}},
			{"within", func() (int, error) { return rowsOf(t, s, free, dataset.SPO, opt) }},
			{"count", func() (int, error) {
				n, err := s.Count(t.Context(), p)
				return int(n), err
			}},
			{"estimate", func() (int, error) {
				c, err := s.Estimate(t.Context(), p)
				return min(max(want, int(c.Low)), int(c.High)), err
			}},
		} {
			if ask.what == "within" && p.S == 0 {
				continue
			}
			for range 2 { // what is kept is made
				if n, err := ask.f(); err != nil || n != want {
					t.Fatalf("%s of %v in mode %d: %d rows, want %d, %v", ask.what, bound, mode, n, want, err)
				}
			}
			if n := testing.AllocsPerRun(3, func() { ask.f() }); few && n > 200 {
				t.Errorf("%s of %v in mode %d: %v allocations for %d rows", ask.what, bound, mode, n, want)
			}
		}
	}
}

// rowsOf counts the rows of a scan.
func rowsOf(t *testing.T, s *engine.Snapshot, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (n int, err error) {
	cur, err := s.Scan(t.Context(), p, o, opt)
	if err != nil {
		return 0, err
	}
	defer cur.Close()
	var b dataset.Batch
	for {
		switch err := cur.Next(t.Context(), &b); err {
		case nil:
			n += b.N
		case io.EOF:
			return n, nil
		default:
			return n, err
		}
	}
}

// TestSampledEstimate: the bounds of an estimate hold where the first graphs of many have other rows than the rest.
func TestSampledEstimate(t *testing.T) {
	for _, first := range []bool{false, true} { // whether the first graphs have none
		db := initDB(t, vfs.NewMem())
		visible, want := map[rdf.Quad]bool{}, uint64(0)
		var quads []rdf.Quad
		for g := range 60 {
			for n := range 20 {
				p := rdf.IRI("http://e/p")
				if (g < 30) == first && n > 0 {
					p = rdf.IRI("http://e/other")
				} else {
					want++
				}
				quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://e/s%d", n)), P: p, O: p, G: rdf.IRI(fmt.Sprintf("http://e/g%02d", g))})
			}
		}
		writeChanges(t, db, visible, quads, nil)
		s := snapshot(t, db)
		ids := make([]dataset.ID, 1)
		if err := s.Lookup(t.Context(), []rdf.Term{rdf.IRI("http://e/p")}, ids); err != nil {
			t.Fatal(err)
		}
		c, err := s.Estimate(t.Context(), dataset.Pattern{P: ids[0], G: dataset.Graphs{Mode: dataset.Each}})
		if err != nil || want < c.Low || want > c.High || c.Guess < c.Low || c.Guess > c.High {
			t.Errorf("%d rows are estimated as %+v, %v", want, c, err)
		}
	}
}
