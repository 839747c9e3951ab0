package value_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/sparql/internal/value"
)

// SPARQL 18.5.1: the set functions.
func TestAggregates(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want string
	}{
		{"COUNT", args("1", `"x"`, "unbound"), "2"},
		{"COUNT", nil, "0"},
		{"SUM", nil, "0"},
		{"SUM", args("1", "2", "3"), "6"},
		{"SUM", args("1", "2.5"), "3.5"},
		{"SUM", args("2.5", "2.5"), `"5"^^xsd:decimal`},
		{"SUM", args(`"1"^^xsd:byte`, `"2"^^xsd:int`), "3"},
		{"SUM", args("1", "2.5", `"1.5"^^xsd:float`), `"5.0E0"^^xsd:float`},
		{"SUM", args("1", `"1.5"^^xsd:float`, "1e0"), "3.5E0"},
		{"SUM", args("9223372036854775807", "9223372036854775807", "1"), "18446744073709551615"},
		{"SUM", args("1", `"x"`), "error"},
		{"SUM", args("1", "unbound"), "error"},
		{"SUM", args("1", `"500"^^xsd:byte`), "error"},
		{"SUM", args("1", "<http://x>"), "error"},
		{"SUM", args("0.1e0", "0.2e0", "1"), "1.3E0"},
		{"AVG", nil, "0"},
		{"AVG", args("1", "2"), "1.5"},
		{"AVG", args("1", "1", "2"), "1.333333333333333333"},
		{"AVG", args("4"), `"4"^^xsd:decimal`},
		{"AVG", args("1e0", "2"), "1.5E0"},
		{"AVG", args("1e308", "1e308"), "1.0E308"},
		{"AVG", args(`"1"^^xsd:float`, "2"), `"1.5E0"^^xsd:float`},
		{"AVG", args("1", `"x"`), "error"},
		{"MIN", args("3", "2.5", "1e1"), "2.5"},
		{"MAX", args("3", "2.5", "1e1"), `"1e1"^^xsd:double`},
		{"MIN", args("1", "01"), "01"},
		{"MIN", args(`"b"`, "5", "<http://x>"), "<http://x>"},
		{"MAX", args(`"b"`, "5", "<http://x>"), `"b"`},
		{"MIN", nil, "error"},
		{"MIN", args("1", "unbound"), "error"},
		{"MAX", args(dt("2020-01-01T00:00:00Z"), dt("2020-01-01T00:00:00-05:00")), dt("2020-01-01T00:00:00-05:00")},
		{"SAMPLE", args("unbound", "2", "3"), "2"},
		{"SAMPLE", nil, "error"},
		{"GROUP_CONCAT", args(`"a"`, `""`), `"a,"`},
		{"GROUP_CONCAT", args(`""`, `""`), `","`},
		{"GROUP_CONCAT", args(`"a"@en`, "<http://x>", "007"), `"a,http://x,007"`},
		{"GROUP_CONCAT", nil, `""`},
		{"GROUP_CONCAT", args(`"a"`, "_:b"), "error"},
	} {
		a, ok := value.NewAggregate(c.name, ",")
		if !ok {
			t.Fatal(c.name)
		}
		split, _ := value.NewAggregate(c.name, ",")
		rest, _ := value.NewAggregate(c.name, ",")
		for i, s := range c.in {
			a.Add(val(t, s))
			if i < len(c.in)/2 {
				split.Add(val(t, s))
			} else {
				rest.Add(val(t, s))
			}
		}
		if got := short(a.Result()); got != c.want {
			t.Errorf("%s of %v = %s, want %s", c.name, c.in, got, c.want)
		}
		split.Merge(rest)
		if got := short(split.Result()); got != c.want {
			t.Errorf("%s of %v merged = %s, want %s", c.name, c.in, got, c.want)
		}
		if a.Bytes() <= 0 {
			t.Errorf("%s holds %d bytes", c.name, a.Bytes())
		}
	}
}

func TestGroupConcatSeparator(t *testing.T) {
	a, _ := value.NewAggregate("GROUP_CONCAT", "")
	a.Add(value.OfString("a"))
	a.AddN(value.OfString("b"), 2)
	if got := short(a.Result()); got != `"abb"` {
		t.Errorf("without a separator: %s", got)
	}
}

// Sums of floats are exact and rounded once: the same in any order and split,
// and equal to the sum of fractions.
func TestSumDoesNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Float64Range(-1e300, 1e300), 1, 20).Draw(t, "in")
		exact := rapid.SliceOfN(rapid.Int64(), 0, 5).Draw(t, "exact")
		want := new(big.Rat)
		var a, b, c value.Sum
		for i, f := range in {
			want.Add(want, new(big.Rat).SetFloat64(f))
			a.Add(value.OfDouble(f))
			if i%2 == 0 {
				b.Add(value.OfDouble(f))
			} else {
				c.Add(value.OfDouble(f))
			}
		}
		for _, n := range exact {
			want.Add(want, new(big.Rat).SetInt64(n))
			a.Add(value.OfInt(n))
			c.Add(value.OfInt(n))
		}
		c.Merge(&b)
		f, _ := want.Float64()
		x, _ := a.Result()
		y, _ := c.Result()
		if f == 0 {
			f = 0 // the sign of zero is another test's
		}
		if w := value.OfDouble(f).Surface(); x.Surface() != w && f != 0 || x.Surface() != y.Surface() {
			t.Fatalf("sums %s and %s, want %s", x.Surface(), y.Surface(), w)
		}
	})
}

// AddN is Add, n times.
func TestAddN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 40).Draw(t, "n")
		v := value.OfDouble(rapid.Float64().Draw(t, "double"))
		if rapid.Bool().Draw(t, "exact") {
			v = exactValue(decimalText(t, "v"))
		}
		for _, name := range []string{"COUNT", "SUM", "AVG", "MIN", "SAMPLE", "GROUP_CONCAT"} {
			a, _ := value.NewAggregate(name, ";")
			b, _ := value.NewAggregate(name, ";")
			a.AddN(v, n)
			for range n {
				b.Add(v)
			}
			if x, y := short(a.Result()), short(b.Result()); x != y {
				t.Fatalf("%s of %d × %s = %s, one by one %s", name, n, v.Surface(), x, y)
			}
		}
	})
}
