package engine_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/rdf"
)

// memLog turns a model's log into layers in memory with small tiles.
func memLog(log []model.Entry, tileRows int) []engine.Entry {
	layer := func(name string, quads []model.Quad) engine.Layer {
		if len(quads) == 0 {
			return nil
		}
		list := make([][4]string, len(quads))
		for i, q := range quads {
			list[i] = q
		}
		return engine.NewMemLayer(name, list).TileRows(tileRows)
	}
	out := make([]engine.Entry, len(log))
	for i, e := range log {
		out[i].Adds = layer(fmt.Sprintf("adds%d", i), e.Adds)
		out[i].Dels = layer(fmt.Sprintf("dels%d", i), e.Dels)
	}
	return out
}

// configs are the ways in which a view may keep its layers.
var configs = []struct {
	name string
	opt  *engine.ViewOptions
}{
	{"default", nil},
	{"no delta", &engine.ViewOptions{DeltaBytes: -1}},
	{"windows", &engine.ViewOptions{DeltaBytes: -1, MatchRows: 2}},
	{"small delta", &engine.ViewOptions{DeltaBytes: 1000, MatchRows: 4}},
}

// terms is a two-way table of the surfaces and ids of a view.
type terms struct {
	id      map[string]engine.ID
	surface map[engine.ID]string
}

// lookupAll finds the ids of words and checks that decoding leads back.
func lookupAll(t testing.TB, v *engine.View, words []string) terms {
	t.Helper()
	in := make([]rdf.Term, len(words))
	for i, w := range words {
		in[i] = rdf.FromSurface(w)
	}
	got := make([]engine.ID, len(words))
	if err := v.Lookup(t.Context(), in, got); err != nil {
		t.Fatalf("Lookup: %v", err)
	}
	tt := terms{map[string]engine.ID{}, map[engine.ID]string{}}
	var known []engine.ID
	for i, id := range got {
		if id == 0 {
			continue
		}
		if other, ok := tt.surface[id]; ok && other != words[i] {
			t.Fatalf("%s and %s have one id, %d", other, words[i], id)
		}
		tt.id[words[i]], tt.surface[id] = id, words[i]
		known = append(known, id)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	var out ids.Terms
	if err := v.Decode(t.Context(), known, &out); err != nil {
		t.Fatalf("Decode: %v", err)
	}
	for i, id := range known {
		if got := string(out.At(i)); got != tt.surface[id] {
			t.Fatalf("id %d decodes to %s, looked up as %s", id, got, tt.surface[id])
		}
	}
	return tt
}

// drain reads a cursor to its end as rows of ids.
func drain(t testing.TB, c dataset.Cursor) [][4]engine.ID {
	t.Helper()
	var rows [][4]engine.ID
	var b engine.Batch
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
			var row [4]engine.ID
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
func (tt terms) quads(t testing.TB, rows [][4]engine.ID) []model.Quad {
	t.Helper()
	out := make([]model.Quad, len(rows))
	for i, row := range rows {
		for col, id := range row {
			s, ok := tt.surface[id]
			if id != 0 && !ok {
				t.Fatalf("a row has id %d, which no look-up gave", id)
			}
			out[i][col] = s
		}
	}
	return out
}

// checkOrder checks that rows ascend strictly in an order, graph by graph.
func (tt terms) checkOrder(t testing.TB, rows [][4]engine.ID, o dataset.Order) {
	t.Helper()
	compare := func(a, b [4]engine.ID) int {
		for _, col := range o.Columns() {
			switch {
			case a[col] == b[col]:
				continue
			case col == dataset.P && tt.surface[a[col]] < tt.surface[b[col]], col != dataset.P && a[col] < b[col]:
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
	g engine.Graphs
	m model.Pattern
}

func graphCases(tt terms, r *rand.Rand, words []string) []graphCase {
	cases := []graphCase{
		{engine.Graphs{Mode: engine.Unnamed}, model.Pattern{Mode: model.Unnamed}},
		{engine.Graphs{Mode: engine.Each}, model.Pattern{Mode: model.Each}},
		{engine.Graphs{Mode: engine.Merge}, model.Pattern{Mode: model.Merge}},
		{engine.Graphs{Mode: engine.Merge, NamedOnly: true}, model.Pattern{Mode: model.Merge, NamedOnly: true}},
	}
	set, names := []engine.ID{0}, []string{""}
	for range 2 {
		w := words[r.IntN(len(words))]
		if id := tt.id[w]; id != 0 && !slices.Contains(set, id) {
			set, names = append(set, id), append(names, w)
		}
	}
	slices.Sort(set)
	return append(cases,
		graphCase{engine.Graphs{Mode: engine.Merge, Set: set}, model.Pattern{Mode: model.Merge, Graphs: names}},
		graphCase{engine.Graphs{Mode: engine.Each, Set: set[1:]}, model.Pattern{Mode: model.Each, Graphs: names[1:]}})
}

// TestViewAgainstModel is the main property: every pattern, order and graph mode
// over random logs, however the view keeps its layers.
func TestViewAgainstModel(t *testing.T) {
	seeds := longtest.Pick[uint64](25, 120)
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 2))
		shape := model.Shape{Terms: 4 + r.IntN(20), Entries: 1 + r.IntN(6), Quads: 1 + r.IntN(20), Graphs: 1 + r.IntN(4)}
		if r.IntN(2) == 0 { // a base, anywhere in the log
			shape.Big, shape.BigAt = 60, r.IntN(shape.Entries)
		}
		log := model.Log(r, shape)
		words := model.Vocabulary(shape.Terms)
		for _, cfg := range configs {
			v := engine.NewView(memLog(log, 1+r.IntN(9)), cfg.opt)
			checkView(t, v, log, words, r, fmt.Sprintf("seed %d, %s", seed, cfg.name))
			if t.Failed() {
				return
			}
		}
	}
}

// checkView compares all patterns with the model.
func checkView(t *testing.T, v *engine.View, log []model.Entry, words []string, r *rand.Rand, label string) {
	t.Helper()
	ctx := t.Context()
	visible := model.Fold(log)
	tt := lookupAll(t, v, words)
	for range 3 {
		q := model.Quad{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]}
		if list := visible.Sorted(); len(list) > 0 && r.IntN(4) > 0 {
			q = list[r.IntN(len(list))]
		}
		for mask := range 8 {
			var p engine.Pattern
			var m model.Pattern
			for col, to := range []*engine.ID{&p.S, &p.P, &p.O} {
				if mask>>col&1 == 1 {
					if *to = tt.id[q[col]]; *to == 0 {
						*to = 1 << 50 // in no view
					}
					*[]*string{&m.S, &m.P, &m.O}[col] = q[col]
				}
			}
			for _, gc := range graphCases(tt, r, words) {
				p.G = gc.g
				mm := gc.m
				mm.S, mm.P, mm.O = m.S, m.P, m.O
				want := visible.Match(mm)
				for o := dataset.Order(0); o < 6; o++ {
					c, err := v.Scan(ctx, p, o, nil)
					if err != nil {
						t.Fatalf("%s: Scan: %v", label, err)
					}
					rows := drain(t, c)
					tt.checkOrder(t, rows, o)
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
				card, err := v.Estimate(ctx, p)
				if err != nil || card.Low > n || card.High < n || card.Guess < card.Low || card.Guess > card.High {
					t.Fatalf("%s: Estimate of %+v is %+v, %v; there are %d", label, mm, card, err, n)
				}
			}
		}
	}
}
