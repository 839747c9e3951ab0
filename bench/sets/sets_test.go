package sets_test

import (
	"bytes"
	"testing"

	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/sets"
)

// scale is that of the tests.
const scale = 20_000

// Every query of the generated sets runs, with its default constants and with drawn
// ones.
func TestQueriesRun(t *testing.T) {
	for _, name := range sets.Names {
		if name == "movies" {
			continue // tested where its answers are
		}
		set, err := sets.Named(name, scale, "")
		if err != nil {
			t.Fatal(err)
		}
		snap := benchtest.Open(t, set)
		for _, q := range set.Queries {
			for n := range 2 {
				var out bytes.Buffer
				text := set.Fixed(q)
				if n > 0 {
					text = set.Instance(q, 1, n)
				}
				benchtest.Write(t, snap, &out, text)
				if out.Len() == 0 && name != "social" {
					t.Errorf("%s %s: no answer", name, q.Name)
				}
			}
		}
	}
	if _, err := sets.Named("other", scale, ""); err == nil {
		t.Error("an unknown set is one")
	}
}

// The generated sets at a million statements, or as RETE_BENCH_SCALE says. The shapes
// of the social set have a benchmark of their own.
func BenchmarkSets(b *testing.B) {
	for _, name := range []string{"ecommerce", "products", "university", "university-unions", "graphs", "paths", "missing"} {
		b.Run(name, func(b *testing.B) {
			set, err := sets.Named(name, benchtest.Scale(1_000_000), "")
			if err != nil {
				b.Fatal(err)
			}
			benchtest.Queries(b, set)
		})
	}
}
