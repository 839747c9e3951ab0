package engine_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestPools runs what compares views with models anew with pools of the graphs of the
// base, from the beginning of each scan and from its second graph on.
func TestPools(t *testing.T) {
	for after := range 2 {
		t.Run(fmt.Sprintf("after=%d", after), func(t *testing.T) {
			defer engine.SetPool(1, after)()
			t.Run("layers", TestViewAgainstModel)
			t.Run("options", TestScanOptionsAgainstAFullScan)
			if after > 0 {
				return
			}
			t.Run("segments", TestSegmentViewAgainstModel)
			t.Run("seek", TestSeeksAndBatches)
			t.Run("trie", TestTrieAgainstScan)
			t.Run("appended", TestAppendedViews)
			t.Run("names", TestNamedGraphsExistWhileTheyHaveAQuad)
		})
	}
}

// A part of a scan of the union of many graphs that is empty has no rows of the pool:
// where the base cannot be cut, the first part has all.
func TestPoolParts(t *testing.T) {
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
	list := make([]engine.ID, 3)
	terms := []rdf.Term{rdf.IRI("http://e/s33"), rdf.IRI("http://e/rare"), rdf.IRI("http://e/o")}
	if err := s.Lookup(t.Context(), terms, list); err != nil {
		t.Fatal(err)
	}
	merge := engine.Graphs{Mode: engine.Merge}
	for want, p := range map[int]engine.Pattern{
		4: {P: list[1], G: merge}, 1: {S: list[0], P: list[1], O: list[2], G: merge}, 204: {G: merge},
	} {
		got := 0
		for part := range 3 {
			cur, err := s.Scan(t.Context(), p, s.Orders(p)[0], &engine.ScanOptions{Cols: 1 << dataset.S, Part: part, Parts: 3})
			if err != nil {
				t.Fatal(err)
			}
			var b engine.Batch
			for {
				err := cur.Next(t.Context(), &b)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got += b.N
			}
		}
		if got != want {
			t.Errorf("%+v: %d rows in three parts, want %d", p, got, want)
		}
	}
}

// An estimate over many graphs, of which the journal speaks of some, holds the number of
// rows between its bounds and is near it.
func TestPoolEstimate(t *testing.T) {
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
		return tx.Insert(t.Context(), quads)
	})
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot(t, db)
	pred := make([]engine.ID, 1)
	if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface("<http://e/p1>")}, pred); err != nil {
		t.Fatal(err)
	}
	for _, p := range []engine.ID{0, pred[0]} {
		for _, mode := range []engine.GraphMode{engine.Merge, engine.Each} {
			p := engine.Pattern{P: p, G: engine.Graphs{Mode: mode}}
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

// A scan of many graphs asks for the memory of the rows that it puts by graph, lets go of
// it when it is closed, and does without if it is refused, with the same rows.
func TestPoolHeld(t *testing.T) {
	defer engine.SetPool(1, 0)()
	db := initDB(t, vfs.NewMem())
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "<http://e/s%d> <http://e/p%d> <http://e/o> <http://e/g%03d> .\n", i, i%2, i%100)
	}
	addDB(t, db, engine.Step{Adds: doc(text.String())})
	s := snapshot(t, db)
	pred := make([]engine.ID, 1)
	if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface("<http://e/p1>")}, pred); err != nil {
		t.Fatal(err)
	}
	p := engine.Pattern{P: pred[0], G: engine.Graphs{Mode: engine.Each}}
	failed := errors.New("failed")
	for name, answer := range map[string]func() (bool, error){
		"given":   func() (bool, error) { return true, nil },
		"refused": func() (bool, error) { return false, nil },
		"failed":  func() (bool, error) { return false, failed },
	} {
		held, most := int64(0), int64(0)
		opt := &engine.ScanOptions{Cols: 1<<dataset.S | 1<<dataset.G, Hold: func(bytes int64) (bool, error) {
			ok, err := answer()
			if bytes < held || ok {
				held = bytes
			}
			most = max(most, bytes)
			return ok || bytes == 0, err
		}}
		cur, err := s.Scan(t.Context(), p, s.Orders(p)[0], opt)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		var b engine.Batch
		for err == nil {
			if err = cur.Next(t.Context(), &b); err == nil {
				rows += b.N
			}
		}
		if name == "failed" {
			if !errors.Is(err, failed) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != io.EOF || rows != 1500 {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
		if most < 1500*16 || name == "given" && held != most {
			t.Errorf("%s: asked for %d bytes, %d are held", name, most, held)
		}
		if err := cur.Close(); err != nil || held != 0 {
			t.Errorf("%s: %d bytes are held by a closed scan, %v", name, held, err)
		}
	}
}
