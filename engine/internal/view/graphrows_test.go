package view_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/rdf"
)

// TestGraphRows runs what compares views with models anew with graph rows of the
// base, from the beginning of each scan and from its second graph on.
func TestGraphRows(t *testing.T) {
	for after := range 2 {
		t.Run(fmt.Sprintf("after=%d", after), func(t *testing.T) {
			defer view.SetGraphRows(1, after)()
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

// A scan of many graphs asks for the memory of the rows that it puts by graph, lets go of
// it when it is closed, and does without if it is refused, with the same rows.
func TestGraphRowsHeld(t *testing.T) {
	defer view.SetGraphRows(1, 0)()
	var quads []model.Quad
	for i := range 3000 {
		quads = append(quads, model.Quad{fmt.Sprintf("<http://e/s%d>", i), fmt.Sprintf("<http://e/p%d>", i%2), "<http://e/o>", fmt.Sprintf("<http://e/g%03d>", i%100)})
	}
	s := view.NewView(viewtest.SegLog(t, []model.Entry{{Adds: quads}}, rand.New(rand.NewPCG(1, 1)), nil), nil)
	ids := make([]dataset.ID, 2)
	if err := s.Lookup(t.Context(), []rdf.Term{rdf.FromSurface("<http://e/p1>"), rdf.FromSurface("<http://e/o>")}, ids); err != nil {
		t.Fatal(err)
	}
	p := dataset.Pattern{P: ids[0], O: ids[1], G: dataset.Graphs{Mode: dataset.Each}}
	failed := errors.New("failed")
	for name, answer := range map[string]func() (bool, error){
		"given":   func() (bool, error) { return true, nil },
		"refused": func() (bool, error) { return false, nil },
		"failed":  func() (bool, error) { return false, failed },
	} {
		held, most := int64(0), int64(0)
		opt := &dataset.ScanOptions{Cols: 1<<dataset.S | 1<<dataset.G, Hold: func(_ context.Context, bytes int64) (bool, error) {
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
		var b dataset.Batch
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
