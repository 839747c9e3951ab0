package limits_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/bench/internal/limits"
)

// random returns sorted distinct rows.
func random(r *rand.Rand, n int) []limits.Row {
	var list []limits.Row
	for range n {
		list = append(list, limits.Row{r.Uint64N(40), r.Uint64N(3), r.Uint64N(300)})
	}
	slices.SortFunc(list, limits.Compare)
	return slices.Compact(list)
}

func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		base, more := random(r, 3000), random(r, 3000)
		in := make(map[limits.Row]bool)
		for _, x := range base {
			in[x] = true
		}
		var dels, adds []limits.Row
		for i, x := range more {
			if in[x] {
				dels = append(dels, x)
			} else if i%2 == 0 {
				adds = append(adds, x)
			}
		}
		if n, _ := limits.Fold(base, dels, adds); n != len(base)-len(dels)+len(adds) {
			t.Fatalf("%d rows of %d, less %d, and %d", n, len(base), len(dels), len(adds))
		}
		copied, _ := limits.Copy(base)
		decoded, _ := limits.Decode(limits.Encode(base))
		if copied != len(base) || decoded != len(base) {
			t.Fatalf("%d and %d rows of %d", copied, decoded, len(base))
		}
	}
}

// Joins have the rows of nested loops over all pairs.
func TestJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	rows := random(r, 600)
	g := limits.NewGraph(rows)
	of := func(p uint64) (list [][2]uint64) {
		for _, x := range rows {
			if x[1] == p {
				list = append(list, [2]uint64{x[0], x[2]})
			}
		}
		return list
	}
	a, b, c := of(0), of(1), of(2)
	count := func(x, y, z [][2]uint64, match func(x, y, z [2]uint64) bool) (n int) {
		for _, i := range x {
			for _, j := range y {
				for _, k := range z {
					if match(i, j, k) {
						n++
					}
				}
			}
		}
		return n
	}
	one := [][2]uint64{{}}
	first := slices.IndexFunc(a, func(x [2]uint64) bool {
		return count(one, a, b, func(_, y, z [2]uint64) bool { return y[0] == x[0] && y[1] == z[0] }) > 0
	})
	e0, e1, e2 := g.Edges(0, false), g.Edges(1, false), g.Edges(2, false)
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"merge", limits.Merge(g.Edges(0, true), e1), count(a, b, one, func(x, y, _ [2]uint64) bool { return x[1] == y[0] })},
		{"probe", limits.Probe(e0, e1), count(a, b, one, func(x, y, _ [2]uint64) bool { return x[0] == y[0] })},
		{"hash", limits.Hash(e0, e1, e2), count(a, b, c, func(x, y, z [2]uint64) bool { return x[1] == y[0] && y[1] == z[0] })},
		{"chain", limits.Chain(e0, e1, e2), count(a, b, c, func(x, y, z [2]uint64) bool { return x[1] == y[0] && y[1] == z[0] })},
		{"star", limits.Star(e0, e1, e2), count(a, b, c, func(x, y, z [2]uint64) bool { return x[0] == y[0] && x[0] == z[0] })},
		{"triangle", limits.Triangle(e0), count(a, a, a, func(x, y, z [2]uint64) bool { return x[1] == y[0] && x[0] == z[0] && y[1] == z[1] })},
		{"same", limits.Same(e0, e1), count(a, b, b, func(x, y, z [2]uint64) bool { return x[0] == y[0] && x[1] == z[0] && y[1] == z[1] })},
		{"names", limits.Names(e0, e1, g.Node(a[first][0])), count(a[first:first+1], a, b, func(f, x, y [2]uint64) bool { return x[0] == f[0] && x[1] == y[0] })},
	} {
		if x.got != x.want || x.want == 0 {
			t.Errorf("%s: %d rows, want %d", x.name, x.got, x.want)
		}
	}
}

func TestText(t *testing.T) {
	lines, terms := limits.Intern([]byte("<a> <p> <b> .\n<b> <p> \"x y\" .\n"))
	if lines != 2 || terms != 4 {
		t.Errorf("%d lines of %d terms", lines, terms)
	}
	if lines, _ := limits.Lines([]byte("+ a\n- b c\n")); lines != 2 {
		t.Errorf("%d lines", lines)
	}
	if got := limits.Join([][]byte{[]byte("ab"), []byte("c")}, []byte("old")); string(got) != "abc" {
		t.Errorf("%q", got)
	}
}
