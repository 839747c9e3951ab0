package viewtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/model"
)

// CheckView compares all patterns with the model.
func CheckView(t *testing.T, v View, log []model.Entry, words []string, r *rand.Rand, label string) {
	t.Helper()
	ctx := t.Context()
	visible := model.Fold(log)
	tt := LookupAll(t, v, words)
	for range 3 {
		q := model.Quad{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]}
		if list := visible.Sorted(); len(list) > 0 && r.IntN(4) > 0 {
			q = list[r.IntN(len(list))]
		}
		for mask := range 8 {
			var p dataset.Pattern
			var m model.Pattern
			for col, to := range []*dataset.ID{&p.S, &p.P, &p.O} {
				if mask>>col&1 == 1 {
					if *to = tt.ID[q[col]]; *to == 0 {
						*to = 1 << 50 // in no view
					}
					*[]*string{&m.S, &m.P, &m.O}[col] = q[col]
				}
			}
			for _, gc := range graphCases(tt, r, words) {
				p.G = gc.G
				mm := gc.M
				mm.S, mm.P, mm.O = m.S, m.P, m.O
				want := visible.Match(mm)
				for o := dataset.Order(0); o < 6; o++ {
					c, err := v.Scan(ctx, p, o, nil)
					if err != nil {
						t.Fatalf("%s: Scan: %v", label, err)
					}
					rows := Drain(t, c)
					tt.CheckOrder(t, rows, o)
					got := tt.quads(t, rows)
					slices.SortFunc(got, func(a, b model.Quad) int { return slices.Compare(a[:], b[:]) })
					if !slices.Equal(got, want) {
						t.Fatalf("%s: pattern %+v order %v:\n got %v\nwant %v\nlog %v", label, mm, o, got, want, log)
					}
				}
				n, err := v.Count(ctx, p)
				if err != nil || n != uint64(len(want)) {
					t.Fatalf("%s: Count of %+v is %d, %v; want %d", label, mm, n, err, len(want))
				}
				if p.G.Mode == dataset.Each {
					CheckGraphCounts(t, v, tt, p, want, label)
				}
				card, err := v.Estimate(ctx, p)
				if err != nil || card.Low > n || card.High < n || card.Guess < card.Low || card.Guess > card.High {
					t.Fatalf("%s: Estimate of %+v is %+v, %v; there are %d", label, mm, card, err, n)
				}
			}
		}
	}
}

// CheckGraphCounts compares the rows of each graph with quads that match a pattern.
func CheckGraphCounts(t *testing.T, v View, tt Terms, p dataset.Pattern, quads []model.Quad, label string) {
	t.Helper()
	want := make(map[string]uint64)
	for _, q := range quads {
		want[q[3]]++
	}
	graphs, rows, err := v.GraphCounts(t.Context(), p, nil)
	if err != nil {
		t.Fatalf("%s: GraphCounts of %+v: %v", label, p, err)
	}
	got := make(map[string]uint64)
	last := ""
	for i, g := range graphs {
		name := tt.Surface[g]
		if name <= last {
			t.Fatalf("%s: GraphCounts of %+v: %s after %s", label, p, name, last)
		}
		got[name], last = rows[i], name
	}
	if !maps.Equal(got, want) {
		t.Fatalf("%s: GraphCounts of %+v: %v, want %v", label, p, got, want)
	}
}

// DenseLog is a base under many entries, which take away and put back quads of the
// base and of each other, so that every stretch of the base has changes in it.
func DenseLog(r *rand.Rand, entries int) []model.Entry {
	quad := func() model.Quad {
		q := model.Quad{
			fmt.Sprintf("<http://ex/s%d>", r.IntN(200)), fmt.Sprintf("<http://ex/p%d>", r.IntN(4)),
			fmt.Sprintf("<http://ex/s%d>", 100+r.IntN(200)),
		}
		if r.IntN(3) == 0 {
			q[3] = fmt.Sprintf("<http://ex/g%d>", r.IntN(2))
		}
		return q
	}
	log := make([]model.Entry, 1+entries)
	for range 3000 {
		log[0].Adds = append(log[0].Adds, quad())
	}
	for i := range log[1:] {
		e := &log[1+i]
		for range 20 {
			from := log[r.IntN(1+i)].Adds
			e.Dels = append(e.Dels, from[r.IntN(len(from))])
			if d := log[r.IntN(1+i)].Dels; len(d) > 0 && r.IntN(2) == 0 {
				e.Adds = append(e.Adds, d[r.IntN(len(d))])
			}
			e.Adds = append(e.Adds, quad())
		}
	}
	return log
}

// ScanDense compares a scan, with and without seeks, with the model.
func ScanDense(t *testing.T, v View, tt Terms, visible model.Set, words []string, r *rand.Rand) {
	t.Helper()
	gc := graphCases(tt, r, words)[r.IntN(4)]
	p, m, o := dataset.Pattern{G: gc.G}, gc.M, dataset.Order(r.IntN(6))
	if r.IntN(2) == 0 {
		m.P = fmt.Sprintf("<http://ex/p%d>", r.IntN(4))
		p.P = tt.ID[m.P]
	}
	if r.IntN(3) == 0 {
		m.S = words[r.IntN(len(words))]
		if p.S = tt.ID[m.S]; p.S == 0 {
			p.S = 1 << 50
		}
	}
	c, err := v.Scan(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := Drain(t, c)
	tt.CheckOrder(t, all, o)
	got, want := tt.quads(t, all), visible.Match(m)
	slices.SortFunc(got, func(a, b model.Quad) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(got, want) {
		t.Fatalf("%+v %v: %d rows, want %d", m, o, len(got), len(want))
	}
	if n, err := v.Count(t.Context(), p); err != nil || n != uint64(len(want)) {
		t.Fatalf("%+v: counted %d, %v, want %d", m, n, err, len(want))
	}
	if gc.G.Mode != dataset.Each {
		SeekThrough(t, v, tt, r, p, o, all, "dense")
	}
}

// SeekThrough reads a scan with seeks in between.
func SeekThrough(t *testing.T, v View, tt Terms, r *rand.Rand, p dataset.Pattern, o dataset.Order, all [][4]dataset.ID, label string) {
	t.Helper()
	c, err := v.Scan(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := 0 // place in all
	var b dataset.Batch
	for {
		if r.IntN(2) == 0 && len(all) > 0 {
			target := all[min(len(all)-1, at+r.IntN(1+r.IntN(3000)))]
			var key []dataset.ID
			for _, col := range o.Columns() {
				key = append(key, target[col])
			}
			key = key[:1+r.IntN(3)]
			if err := c.Seek(t.Context(), key...); err != nil {
				t.Fatal(err)
			}
			for at < len(all) && tt.CompareIn(o, all[at], key) < 0 {
				at++
			}
		}
		err := c.Next(t.Context(), &b)
		if err == io.EOF {
			if at != len(all) {
				t.Fatalf("%s: %+v %v: the end at row %d of %d", label, p, o, at, len(all))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			row := [4]dataset.ID{b.Col[0][i], b.Col[1][i], b.Col[2][i]}
			if at >= len(all) || row != all[at] {
				t.Fatalf("%s: %+v %v: row %d is %v, want %v", label, p, o, at, row, all[min(at, len(all)-1)])
			}
			at++
		}
	}
}

// Walk reads a whole trie below the current level as rows.
func Walk(t *testing.T, tr dataset.Trie, o dataset.Order, row [4]dataset.ID, level int, out *[][4]dataset.ID) {
	t.Helper()
	if level == 3 {
		*out = append(*out, row)
		return
	}
	ok, err := tr.Open(t.Context())
	for ; ok && err == nil; ok, err = tr.Next(t.Context()) {
		if tr.Size() == 0 {
			t.Fatal("an id with nothing below it")
		}
		row[o.Columns()[level]] = tr.Key()
		Walk(t, tr, o, row, level+1, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if level > 0 || len(*out) > 0 {
		tr.Up()
	}
}

// ScanAll drains a scan and returns its rows.
func ScanAll(b testing.TB, v View, p dataset.Pattern, o dataset.Order, batch *dataset.Batch) int {
	b.Helper()
	c, err := v.Scan(context.Background(), p, o, nil)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for {
		err := c.Next(context.Background(), batch)
		if err == io.EOF {
			return n
		}
		if err != nil {
			b.Fatal(err)
		}
		n += batch.N
	}
}

// Outcome reads everything that a view has and returns it as sorted surfaces.
func Outcome(ctx context.Context, v View) ([]model.Quad, error) {
	var rows [][4]dataset.ID
	for _, g := range []dataset.GraphMode{dataset.Unnamed, dataset.Each} {
		for o := dataset.Order(0); o < 6; o++ {
			n := len(rows)
			c, err := v.Scan(ctx, dataset.Pattern{G: dataset.Graphs{Mode: g}}, o, nil)
			if err != nil {
				return nil, err
			}
			var b dataset.Batch
			for {
				err := c.Next(ctx, &b)
				if err == io.EOF {
					break
				}
				if err != nil {
					return nil, err
				}
				for i := range b.N {
					row := [4]dataset.ID{b.Col[0][i], b.Col[1][i], b.Col[2][i]}
					if g == dataset.Each {
						row[3] = b.Col[3][i]
					}
					rows = append(rows, row)
				}
			}
			if o > 0 {
				rows = rows[:n] // the same rows again
			}
		}
	}
	var list []dataset.ID
	for _, row := range rows {
		list = append(list, row[:]...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > 0 && list[0] == 0 {
		list = list[1:]
	}
	var terms ids.Terms
	if err := v.Decode(ctx, list, &terms); err != nil {
		return nil, err
	}
	out := model.Set{}
	for _, row := range rows {
		var q model.Quad
		for col, id := range row {
			if i, ok := slices.BinarySearch(list, id); ok {
				q[col] = string(terms.At(i))
			}
		}
		out[q] = true
	}
	return out.Sorted(), nil
}
