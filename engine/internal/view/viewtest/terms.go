package viewtest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/rdf"
)

// Terms is a two-way table of the surfaces and ids of a view.
type Terms struct {
	ID      map[string]dataset.ID
	Surface map[dataset.ID]string
}

// LookupAll finds the ids of words and checks that decoding leads back.
func LookupAll(t testing.TB, v View, words []string) Terms {
	t.Helper()
	in := make([]rdf.Term, len(words))
	for i, w := range words {
		in[i] = rdf.FromSurface(w)
	}
	got := make([]dataset.ID, len(words))
	if err := v.Lookup(t.Context(), in, got); err != nil {
		t.Fatalf("Lookup: %v", err)
	}
	tt := Terms{map[string]dataset.ID{}, map[dataset.ID]string{}}
	var known []dataset.ID
	for i, id := range got {
		if id == 0 {
			continue
		}
		if other, ok := tt.Surface[id]; ok && other != words[i] {
			t.Fatalf("%s and %s have one id, %d", other, words[i], id)
		}
		tt.ID[words[i]], tt.Surface[id] = id, words[i]
		known = append(known, id)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	var out ids.Terms
	if err := v.Decode(t.Context(), known, &out); err != nil {
		t.Fatalf("Decode: %v", err)
	}
	for i, id := range known {
		if got := string(out.At(i)); got != tt.Surface[id] {
			t.Fatalf("id %d decodes to %s, looked up as %s", id, got, tt.Surface[id])
		}
	}
	return tt
}

// Drain reads a cursor to its end as rows of ids.
func Drain(t testing.TB, c dataset.Cursor) [][4]dataset.ID {
	t.Helper()
	var rows [][4]dataset.ID
	var b dataset.Batch
	for {
		err := c.Next(context.Background(), &b)
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		if b.N == 0 || b.N > dataset.MaxBatch {
			t.Fatalf("a batch of %d rows", b.N)
		}
		for i := range b.N {
			var row [4]dataset.ID
			for col := range b.Col {
				if len(b.Col[col]) > 0 {
					row[col] = b.Col[col][i]
				}
			}
			rows = append(rows, row)
		}
	}
}

// quads turns rows of ids back into surfaces.
func (tt Terms) quads(t testing.TB, rows [][4]dataset.ID) []model.Quad {
	t.Helper()
	out := make([]model.Quad, len(rows))
	for i, row := range rows {
		for col, id := range row {
			s, ok := tt.Surface[id]
			if id != 0 && !ok {
				t.Fatalf("a row has id %d, which no look-up gave", id)
			}
			out[i][col] = s
		}
	}
	return out
}

// CheckOrder checks that rows ascend strictly in an order, graph by graph.
func (tt Terms) CheckOrder(t testing.TB, rows [][4]dataset.ID, o dataset.Order) {
	t.Helper()
	compare := func(a, b [4]dataset.ID) int {
		for _, col := range o.Columns() {
			switch {
			case a[col] == b[col]:
				continue
			case col == dataset.P && tt.Surface[a[col]] < tt.Surface[b[col]], col != dataset.P && a[col] < b[col]:
				return -1
			}
			return 1
		}
		return 0
	}
	for i := 1; i < len(rows); i++ {
		if rows[i-1][dataset.G] == rows[i][dataset.G] && compare(rows[i-1], rows[i]) >= 0 {
			t.Fatalf("order %v: row %v follows %v", o, rows[i], rows[i-1])
		}
	}
}

// graphCase is one way to see graphs, in ids and in surfaces.
type graphCase struct {
	G dataset.Graphs
	M model.Pattern
}

func graphCases(tt Terms, r *rand.Rand, words []string) []graphCase {
	cases := []graphCase{
		{dataset.Graphs{Mode: dataset.Unnamed}, model.Pattern{Mode: model.Unnamed}},
		{dataset.Graphs{Mode: dataset.Each}, model.Pattern{Mode: model.Each}},
		{dataset.Graphs{Mode: dataset.Merge}, model.Pattern{Mode: model.Merge}},
		{dataset.Graphs{Mode: dataset.Merge, NamedOnly: true}, model.Pattern{Mode: model.Merge, NamedOnly: true}},
	}
	set, names := []dataset.ID{0}, []string{""}
	for range 2 {
		w := words[r.IntN(len(words))]
		if id := tt.ID[w]; id != 0 && !slices.Contains(set, id) {
			set, names = append(set, id), append(names, w)
		}
	}
	slices.Sort(set)
	return append(cases,
		graphCase{dataset.Graphs{Mode: dataset.Merge, Set: set}, model.Pattern{Mode: model.Merge, Graphs: names}},
		graphCase{dataset.Graphs{Mode: dataset.Each, Set: set[1:]}, model.Pattern{Mode: model.Each, Graphs: names[1:]}})
}

// RandomPattern binds each column with a chance of one in four.
func (tt Terms) RandomPattern(r *rand.Rand, known []dataset.ID) dataset.Pattern {
	var p dataset.Pattern
	for _, to := range []*dataset.ID{&p.S, &p.P, &p.O} {
		if r.IntN(4) == 0 {
			*to = known[r.IntN(len(known))]
		}
	}
	p.G.Mode = dataset.GraphMode(r.IntN(3))
	return p
}

func (tt Terms) Known() []dataset.ID {
	var out []dataset.ID
	for id := range tt.Surface {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// CompareIn compares rows in a scan's order, predicates by surface.
func (tt Terms) CompareIn(o dataset.Order, row [4]dataset.ID, key []dataset.ID) int {
	for i, id := range key {
		col := o.Columns()[i]
		a, b := fmt.Sprintf("%020d", row[col]), fmt.Sprintf("%020d", id)
		if col == dataset.P {
			a, b = tt.Surface[row[col]], tt.Surface[id]
		}
		if a != b {
			if a < b {
				return -1
			}
			return 1
		}
	}
	return 0
}
