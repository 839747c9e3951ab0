package view_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/model"
)

// TestTrieBytes: a trie counts the rows that were read for it, and not those that the
// view keeps for all.
func TestTrieBytes(t *testing.T) {
	const layers, each, rowBytes = 8, 2000, 32
	log := make([]model.Entry, 1+layers)
	for i := range log {
		for k := range each {
			log[i].Adds = append(log[i].Adds, model.Quad{fmt.Sprintf("<http://ex/s%d>", k), "<http://ex/p>", fmt.Sprintf("<http://ex/o%d>", i*each+k)})
		}
	}
	for k := range each { // the largest
		log[0].Adds = append(log[0].Adds, model.Quad{fmt.Sprintf("<http://ex/s%d>", k), "<http://ex/p>", "<http://ex/o>"})
	}
	for _, c := range []struct {
		name      string
		opt       *view.ViewOptions
		low, high int64
	}{
		{"in the view", nil, 1, layers * each * rowBytes / 8},
		{"of its own", &view.ViewOptions{DeltaBytes: -1}, layers * each * rowBytes, 2 * layers * each * rowBytes},
		{"in windows", &view.ViewOptions{DeltaBytes: -1, MatchRows: 100}, layers * each * 12, layers * each * rowBytes},
	} {
		v := view.NewView(viewtest.MemLog(log, 100), c.opt)
		tt := viewtest.LookupAll(t, v, []string{"<http://ex/p>"})
		p := dataset.Pattern{P: tt.ID["<http://ex/p>"]}
		tr, err := v.Trie(t.Context(), p, v.Orders(p)[0])
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if ok, err := tr.Open(t.Context()); !ok || err != nil {
				t.Fatalf("%s: %v, %v", c.name, ok, err)
			}
		}
		if n := tr.(interface{ Bytes() int64 }).Bytes(); n < c.low || n > c.high {
			t.Errorf("%s: %d bytes, want %d to %d", c.name, n, c.low, c.high)
		}
	}
}
