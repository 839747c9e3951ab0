package engine_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
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
	terms := [][]byte{[]byte("<http://e/s33>"), []byte("<http://e/rare>"), []byte("<http://e/o>")}
	if err := s.Lookup(t.Context(), terms, list); err != nil {
		t.Fatal(err)
	}
	merge := engine.Graphs{Mode: engine.Merge}
	for want, p := range map[int]engine.Pattern{
		4: {P: list[1], G: merge}, 1: {S: list[0], P: list[1], O: list[2], G: merge}, 204: {G: merge},
	} {
		got := 0
		for part := range 3 {
			cur, err := s.Scan(t.Context(), p, s.Orders(p)[0], &engine.ScanOptions{Cols: 1 << engine.ColS, Part: part, Parts: 3})
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
