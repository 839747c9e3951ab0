package view_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/model"
)

// randomView draws a log and opens it in one of the configurations.
func randomView(t *testing.T, seed uint64) (*view.View, viewtest.Terms, *rand.Rand, string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	shape := model.Shape{Terms: 5 + r.IntN(12), Entries: 1 + r.IntN(5), Quads: 20, Big: 80, Graphs: 3}
	shape.BigAt = r.IntN(shape.Entries)
	cfg := viewtest.Configs[r.IntN(len(viewtest.Configs))]
	v := view.NewView(viewtest.MemLog(model.Log(r, shape), 1+r.IntN(9)), cfg.Opt)
	return v, viewtest.LookupAll(t, v, model.Vocabulary(shape.Terms)), r, fmt.Sprintf("seed %d, %s", seed, cfg.Name)
}

func TestScanOptionsAgainstAFullScan(t *testing.T) {
	for seed := range uint64(150) {
		v, tt, r, label := randomView(t, seed)
		known := tt.Known()
		if len(known) == 0 {
			continue
		}
		for range 30 {
			p, o := tt.RandomPattern(r, known), dataset.Order(r.IntN(6))
			c, _ := v.Scan(t.Context(), p, o, nil)
			all := viewtest.Drain(t, c)
			opt := &dataset.ScanOptions{}
			for col := range opt.Within {
				if r.IntN(3) == 0 && (col < 3 || p.G.Mode == dataset.Each) {
					opt.Within[col] = new(ids.Set)
					for range r.IntN(6) {
						opt.Within[col].Add(known[r.IntN(len(known))])
					}
				}
			}
			key := func() []dataset.ID {
				k := make([]dataset.ID, 1+r.IntN(3))
				for i := range k {
					k[i] = known[r.IntN(len(known))]
				}
				return k
			}
			if r.IntN(3) == 0 {
				opt.From = key()
			}
			if r.IntN(3) == 0 {
				opt.To = key()
			}
			if r.IntN(3) == 0 {
				opt.Cols = dataset.Cols(1 + r.IntN(15))
			}
			var want [][4]dataset.ID
			for _, row := range all {
				ok := opt.From == nil || tt.CompareIn(o, row, opt.From) >= 0
				ok = ok && (opt.To == nil || tt.CompareIn(o, row, opt.To) < 0)
				for col, set := range opt.Within {
					ok = ok && (set == nil || set.Contains(row[col]))
				}
				if !ok {
					continue
				}
				for col := range row {
					if !opt.Wanted().Has(dataset.Col(col)) {
						row[col] = 0
					}
				}
				want = append(want, row)
			}
			if c, err := v.Scan(t.Context(), p, o, opt); err != nil {
				t.Fatalf("%s: %v", label, err)
			} else if got := viewtest.Drain(t, c); !slices.Equal(got, want) {
				t.Fatalf("%s: %+v %v %+v:\n got %v\nwant %v\n all %v", label, p, o, opt, got, want, all)
			}
			checkParts(t, v, p, o, all, 1+r.IntN(5), label)
			checkSeek(t, v, tt, p, o, all, key(), r.IntN(80), label)
		}
	}
}

// checkParts checks that parts are disjoint, whole and in order, and that no
// leading id is in two of them.
func checkParts(t *testing.T, v *view.View, p dataset.Pattern, o dataset.Order, all [][4]dataset.ID, parts int, label string) {
	t.Helper()
	var got [][4]dataset.ID
	free := dataset.G
	for _, col := range o.Columns() {
		if p.Columns()[col] == 0 {
			free = col
			break
		}
	}
	leads := map[[2]dataset.ID]int{}
	for part := range parts {
		c, err := v.Scan(t.Context(), p, o, &dataset.ScanOptions{Part: part, Parts: parts})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range viewtest.Drain(t, c) {
			lead := [2]dataset.ID{row[free], row[dataset.G]}
			if was, ok := leads[lead]; ok && was != part {
				t.Fatalf("%s: %+v %v: id %d in parts %d and %d of %d", label, p, o, row[free], was, part, parts)
			}
			leads[lead] = part
			got = append(got, row)
		}
	}
	if p.G.Mode == dataset.Each { // parts of a graph are not neighbours
		cmp := func(a, b [4]dataset.ID) int { return slices.Compare(a[:], b[:]) }
		all = slices.Clone(all)
		slices.SortFunc(got, cmp)
		slices.SortFunc(all, cmp)
	}
	if !slices.Equal(got, all) {
		t.Fatalf("%s: %+v %v in %d parts:\n got %v\nwant %v", label, p, o, parts, got, all)
	}
}

// checkSeek reads some rows, seeks, and compares what follows.
func checkSeek(t *testing.T, v *view.View, tt viewtest.Terms, p dataset.Pattern, o dataset.Order, all [][4]dataset.ID, key []dataset.ID, skip int, label string) {
	t.Helper()
	c, err := v.Scan(t.Context(), p, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b dataset.Batch
	if skip > 40 {
		if err := c.Next(t.Context(), &b); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		all = all[b.N:]
	}
	if err := c.Seek(t.Context(), key...); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(row [4]dataset.ID) bool { return tt.CompareIn(o, row, key) >= 0 })
	if at < 0 {
		at = len(all)
	}
	if got := viewtest.Drain(t, c); !slices.Equal(got, all[at:]) {
		t.Fatalf("%s: %+v %v seek %v:\n got %v\nwant %v", label, p, o, key, got, all[at:])
	}
}
