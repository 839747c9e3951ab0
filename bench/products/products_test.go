package products

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// The bytes of three small scales are pinned: a change of the generator makes every
// older figure incomparable, so it must not happen unnoticed.
func TestGenerateIsPinned(t *testing.T) {
	for _, want := range []struct {
		opt   Options
		stats gen.Stats
	}{
		{Options{Products: 1, Seed: 0}, gen.Stats{
			Statements: 1042, Bytes: 156825,
			SHA256: "c25d148e026b6ed376160314759cad5e65f02dfaef5720d41962ea1fb6a8c800",
		}},
		{Options{Products: 30, Seed: 1}, gen.Stats{
			Statements: 11391, Bytes: 1582489,
			SHA256: "c12e8ef4c310f153fc4827d6c6ce28ff2ebad5b7930a858ed6f20781a71a6378",
		}},
		{Options{Products: 128, Seed: 2}, gen.Stats{
			Statements: 48085, Bytes: 6686255,
			SHA256: "3fffee44d949bf63c9efa98ef9459b39bd4a8ac8d4d2e5bce8d139bc14c564af",
		}},
	} {
		got, err := Generate(io.Discard, want.opt)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.stats, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", want.opt, d)
		}
	}
}

// quads reads a data set.
func quads(t *testing.T, opt Options) (list []rdf.Quad) {
	t.Helper()
	var b bytes.Buffer
	if _, err := Generate(&b, opt); err != nil {
		t.Fatal(err)
	}
	r := nquads.NewTriplesReader(&b, rdf.Options{})
	for {
		var raw rdf.RawQuad
		if err := r.Read(&raw); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, raw.Quad())
	}
}

// Numbers of things, and of statements for each product, are those of the published description.
func TestProportions(t *testing.T) {
	const n = 128
	count := make(map[string]int)
	list := quads(t, Options{Products: n})
	for _, q := range list {
		if q.P.Value() == "http://www.w3.org/1999/02/22-rdf-syntax-ns#type" {
			count[strings.TrimPrefix(q.O.Value(), prefix)]++
		}
	}
	for class, want := range map[string]int{"Product": n, "Offer": 20 * n, "Review": 10 * n, "Producer": 3, "Vendor": 2, "Person": 64, "ProductType": 21} {
		if count[class] != want {
			t.Errorf("%d of %s, want %d", count[class], class, want)
		}
	}
	if each := float64(len(list)) / n; each < 352 || each > 430 { // 391
		t.Errorf("%.0f statements for each product", each)
	}
	// each product has its type and all types above
	if count["ProductType0"] != n || count["ProductType1"]+count["ProductType2"]+count["ProductType3"]+count["ProductType4"] != n {
		t.Errorf("types of products: %v", count)
	}
}

// The tree of types has the depth and the branching of the published description.
func TestTree(t *testing.T) {
	for _, c := range []struct{ n, types, leaves int }{
		{1, 5, 4}, {128, 21, 16}, {666, 55, 48}, {2785, 151, 96}, {14_088, 329, 256}, {70_812, 731, 640}, {284_826, 2011, 1280},
	} {
		counts := countsFor(c.n, 0)
		t.Logf("%d products: %d types, %d leaves, %d features", c.n, len(counts.types), len(counts.leaves), counts.features)
		if len(counts.types) != c.types || len(counts.leaves) != c.leaves {
			t.Errorf("%d products: %d types and %d leaves, want %d and %d", c.n, len(counts.types), len(counts.leaves), c.types, c.leaves)
		}
	}
	for _, c := range []struct{ n, num, den, want int }{
		{1, 1, 1, 0}, {3, 1, 1, 0}, {4, 1, 1, 1}, {31, 1, 1, 1}, {32, 1, 1, 2}, {1000, 1, 2, 2}, {999, 1, 2, 1}, {100, 3, 2, 3}, {284_826, 3, 2, 8},
	} {
		if got := logarithm(c.n, c.num, c.den); got != c.want {
			t.Errorf("%d/%d of the logarithm of %d is %d, want %d", c.num, c.den, c.n, got, c.want)
		}
	}
}

// The mix names queries and updates that there are; an update is the same for the same number, inserts a
// product with its offers and reviews, and names what no other inserts.
func TestMix(t *testing.T) {
	set := Set(20_000)
	for _, name := range set.Mix {
		if _, ok := set.Find(name); !ok && !slices.Contains([]string{"U1", "U2"}, name) {
			t.Errorf("there is no %s", name)
		}
	}
	seen := make(map[string]int)
	for i := range 3 {
		text := set.Update("U1", 1, i)
		if text != set.Update("U1", 1, i) {
			t.Errorf("U1 %d differs from itself", i)
		}
		u, err := sparql.ParseUpdate(text, nil)
		if err != nil || u == nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if n := strings.Count(text, "\n"); n < 300 || n > 500 {
			t.Errorf("%d statements", n)
		}
		for line := range strings.Lines(text) {
			subject, rest, _ := strings.Cut(line, " ")
			if strings.Contains(rest, "type> <"+prefix+"Offer>") {
				seen[subject]++
			}
		}
		if _, err := sparql.ParseUpdate(set.Update("U2", 1, i), nil); err != nil {
			t.Error(err)
		}
	}
	if len(seen) != 3*offersEach {
		t.Errorf("%d offers", len(seen))
	}
	for s, n := range seen {
		if n != 1 {
			t.Errorf("%s comes %d times", s, n)
		}
	}
}
