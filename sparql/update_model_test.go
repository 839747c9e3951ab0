package sparql_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/updatemodel"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/sparql"
)

var (
	modelRuns = flag.Int("update.runs", 0, "sequences of random updates to try; 0: 500, in the long form 1500")
	modelSeed = flag.Uint64("update.seed", 0, "the seed of the first sequence; 0: any")
)

// TestUpdateModel carries out random sequences of requests on a dataset and on a
// model. A failing sequence is run again by -update.seed with its seed.
func TestUpdateModel(t *testing.T) {
	first := *modelSeed
	if first == 0 {
		first = rand.Uint64() >> 1
	}
	failed, done := 0, 0
	for i := range cmp.Or(*modelRuns, longtest.Pick(500, 1500)) {
		f, d := modelSequence(t, first+uint64(i), i%4 == 0)
		failed, done = failed+f, done+d
		if t.Failed() {
			return
		}
	}
	if failed*100 < done || done*4 < failed {
		t.Errorf("of %d requests %d fail: too few or too many to show anything", failed+done, failed)
	}
}

// modelSequence runs the sequence of one seed.
func modelSequence(t *testing.T, seed uint64, blank bool) (failed, done int) {
	r := rand.New(rand.NewPCG(seed, 0))
	store := updatemodel.Store{}
	data := load(nil)
	for step := range 6 {
		req := updatemodel.Random(r, blank)
		want, wantErr := req.Apply(store)
		u, err := sparql.ParseUpdate(req.Text, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, req.Text)
		}
		tx := data.Begin(fmt.Sprintf("%d-%d", seed, step)) // the text may come twice in a sequence
		_, err = sparql.Execute(t.Context(), tx, u)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("seed %d: got the error %v, want %v\n%s", seed, err, wantErr, req.Text)
			return
		}
		if err != nil {
			failed++
			continue
		}
		done++
		before := store
		store, data = want, tx.Commit()
		if got := data.Quads(); !same(got, store, blank) {
			t.Errorf("seed %d\nbefore %v\n%s\ngot  %v\nwant %v", seed, before.Quads(), req.Text, got, store.Quads())
			return
		}
	}
	return failed, done
}

// same compares quads with a store, up to the names of blank nodes.
func same(got []rdf.Quad, want updatemodel.Store, blank bool) bool {
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
