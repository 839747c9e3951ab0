package ecommerce_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/bench/ecommerce"
	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// The bytes of three small scales are pinned: a change of the generator makes every
// older figure incomparable, so it must not happen unnoticed.
func TestGenerateIsPinned(t *testing.T) {
	for _, want := range []struct {
		opt   ecommerce.Options
		stats gen.Stats
	}{} {
		got, err := ecommerce.Generate(io.Discard, want.opt)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.stats, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", want.opt, d)
		}
	}
}

// What is said of the instances of a block does not depend on how many blocks follow.
func TestSmallerScaleIsPrefix(t *testing.T) {
	small, large := generate(t, 1), generate(t, 2)
	if !bytes.HasPrefix(large, small) {
		t.Error("the smaller data set is no beginning of the larger")
	}
}

func generate(t *testing.T, factor int) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := ecommerce.Generate(&b, ecommerce.Options{Factor: factor, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A set of factor 1 has the proportions that the queries count on.
func TestProportions(t *testing.T) {
	count := make(map[string]int)
	owner := make(map[string]bool)
	total := 0
	r := nquads.NewTriplesReader(bytes.NewReader(generate(t, 1)), rdf.Options{})
	for {
		var raw rdf.RawQuad
		if err := r.Read(&raw); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		q := raw.Quad()
		name := strings.TrimPrefix(q.P.Value(), ecommerce.Prefix)
		count[name]++
		total++
		if name == "hasReview" || name == "makesPurchase" {
			if owner[q.O.Value()] {
				t.Errorf("%v has two owners", q.O)
			}
			owner[q.O.Value()] = true
		}
	}
	if total < 95_000 || total > 125_000 {
		t.Errorf("%d statements", total)
	}
	if len(count) < 80 {
		t.Errorf("%d predicates", len(count))
	}
	if share := count["friendOf"] * 100 / total; share < 35 || share > 50 {
		t.Errorf("friendOf is %d%% of the statements", share)
	}
	for name, n := range count {
		if n > count["friendOf"] {
			t.Errorf("%s is bigger than friendOf", name)
		}
	}
}
