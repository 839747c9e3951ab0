package datasettest

import (
	"errors"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
)

// scans checks patterns of every shape in every mode and order.
func (k *kit) scans() {
	for mask := range 8 {
		for range 3 {
			for _, g := range k.modes() {
				p := dataset.Pattern{G: g}
				k.bind(&p, mask)
				k.pattern(p)
				if k.t.Failed() {
					return
				}
			}
		}
	}
}

// modes returns graphs of every mode.
func (k *kit) modes() []dataset.Graphs {
	out := []dataset.Graphs{
		{},
		{Mode: dataset.Each},
		{Mode: dataset.Merge},
		{Mode: dataset.Merge, NamedOnly: true},
		{Mode: dataset.Each, Set: []id{}},
		{Mode: dataset.Merge, Set: []id{0}},
	}
	if len(k.graphs) > 1 {
		out = append(out,
			dataset.Graphs{Mode: dataset.Each, Set: k.graphs[:1]},
			dataset.Graphs{Mode: dataset.Each, Set: k.graphs[1:]},
			dataset.Graphs{Mode: dataset.Merge, Set: k.graphs[:2]},
			dataset.Graphs{Mode: dataset.Merge, Set: append([]id{0}, k.graphs[1:]...)})
	}
	if len(k.ids) > 0 { // an id that may be no graph
		out = append(out, dataset.Graphs{Mode: dataset.Each, Set: []id{k.ids[k.r.IntN(len(k.ids))]}})
	}
	return out
}

// bind fills the columns of the mask, mostly from a row.
func (k *kit) bind(p *dataset.Pattern, mask int) {
	for c, at := range []*id{&p.S, &p.P, &p.O} {
		if mask>>c&1 == 0 || len(k.rows) == 0 {
			continue
		}
		*at = k.rows[k.r.IntN(len(k.rows))][c]
	}
	if len(k.rows) > 0 && k.r.IntN(3) > 0 { // all from one row
		r := k.rows[k.r.IntN(len(k.rows))]
		for c, at := range []*id{&p.S, &p.P, &p.O} {
			if mask>>c&1 == 1 {
				*at = r[c]
			}
		}
	}
}

// want returns the rows of a pattern, in no order.
func (k *kit) want(p dataset.Pattern) []row {
	var out []row
	seen := make(map[row]bool)
	for _, r := range k.rows {
		if p.S != 0 && r[0] != p.S || p.P != 0 && r[1] != p.P || p.O != 0 && r[2] != p.O {
			continue
		}
		in := r[3] == 0
		switch p.G.Mode {
		case dataset.Each:
			in = r[3] != 0 && (p.G.Set == nil || slices.Contains(p.G.Set, r[3]))
		case dataset.Merge:
			in = p.G.Set == nil && (r[3] != 0 || !p.G.NamedOnly) || slices.Contains(p.G.Set, r[3])
			r[3] = 0
		}
		if in && !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	return out
}

// read scans to the end.
func (k *kit) read(p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) ([]row, error) {
	c, err := k.ds.Scan(k.ctx, p, o, opt)
	if err != nil {
		return nil, err
	}
	out, err := k.drain(c, p, opt)
	if err := c.Close(); err != nil {
		return nil, err
	}
	c.Close()
	return out, err
}

// drain reads the rest of a cursor.
func (k *kit) drain(c dataset.Cursor, p dataset.Pattern, opt *dataset.ScanOptions) ([]row, error) {
	var out []row
	var b dataset.Batch
	cols := opt.Wanted()
	for {
		if err := c.Next(k.ctx, &b); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		if b.N < 1 || b.N > dataset.MaxBatch {
			return nil, errors.New("a batch that is empty or too large")
		}
		for i := range b.N {
			var r row
			for col := range r {
				if cols.Has(dataset.Col(col)) && (col < 3 || p.G.Mode == dataset.Each) {
					r[col] = b.Col[col][i]
				}
			}
			out = append(out, r)
		}
	}
}

func compareRows(a, b row) int { return slices.Compare(a[:], b[:]) }

// same reports whether two lists have the same rows.
func same(a, b []row) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortFunc(a, compareRows)
	slices.SortFunc(b, compareRows)
	return slices.Equal(a, b)
}

// pattern checks one pattern.
func (k *kit) pattern(p dataset.Pattern) {
	want := k.want(p)
	n, err := k.ds.Count(k.ctx, p)
	if err != nil || n != uint64(len(want)) {
		k.t.Errorf("Count(%v) = %d, %v, want %d", p, n, err, len(want))
	}
	if l, ok := k.ds.(dataset.GraphLister); ok && p.G.Mode == dataset.Each {
		k.graphCounts(l, p, want)
	}
	card, err := k.ds.Estimate(k.ctx, p)
	if err != nil || card.Low > n || card.High < n || card.Guess < card.Low || card.Guess > card.High {
		k.t.Errorf("Estimate(%v) = %+v, %v, for %d rows", p, card, err, n)
	}
	orders := k.ds.Orders(p)
	if len(orders) == 0 {
		k.t.Fatalf("Orders(%v) is empty", p)
	}
	for _, o := range orders {
		got, err := k.read(p, o, nil)
		if err != nil || !same(got, want) {
			k.t.Errorf("Scan(%v, %v) has %d rows, %v, want %d", p, o, len(got), err, len(want))
			return
		}
		k.sorted(p, o, got)
		k.placed(p, o, got)
		k.columns(p, o, got)
		k.within(p, o, want)
		k.parts(p, o, got)
		if single(p) {
			k.bounds(p, o, got)
			k.seek(p, o, got)
		}
		k.trie(p, o, got)
		if k.t.Failed() {
			return
		}
	}
}

// single reports whether the rows of a pattern are one sorted list.
func single(p dataset.Pattern) bool { return p.G.Mode != dataset.Each || len(p.G.Set) == 1 }

// sorted checks the order: subjects and objects ascend, predicates stand in one
// order, whichever, and graphs follow each other.
func (k *kit) sorted(p dataset.Pattern, o dataset.Order, rows []row) {
	before := make(map[[2]id]bool)
	done := make(map[id]bool)
	for i := 1; i < len(rows); i++ {
		a, b := rows[i-1], rows[i]
		if a[3] != b[3] {
			done[a[3]] = true
			if done[b[3]] {
				k.t.Errorf("Scan(%v, %v): a graph comes twice", p, o)
			}
			continue
		}
		for _, c := range o.Columns() {
			x, y := a[c], b[c]
			if x == y {
				continue
			}
			if c != dataset.P && x > y || c == dataset.P && before[[2]id{y, x}] {
				k.t.Errorf("Scan(%v, %v): row %d is out of order: %v, %v", p, o, i, a, b)
				return
			}
			before[[2]id{x, y}] = c == dataset.P
			break
		}
	}
}

// columns checks that a scan of few columns has the same rows.
func (k *kit) columns(p dataset.Pattern, o dataset.Order, rows []row) {
	cols := dataset.Cols(1 + k.r.IntN(15))
	got, err := k.read(p, o, &dataset.ScanOptions{Cols: cols})
	var want []row
	for _, r := range rows {
		for c := range r {
			if !cols.Has(dataset.Col(c)) {
				r[c] = 0
			}
		}
		want = append(want, r)
	}
	if err != nil || !slices.Equal(got, want) {
		k.t.Errorf("Scan(%v, %v) of columns %b: %d rows, %v, want %d", p, o, cols, len(got), err, len(want))
	}
}

// trie walks a trie, if there is one.
func (k *kit) trie(p dataset.Pattern, o dataset.Order, rows []row) {
	t, err := k.ds.Trie(k.ctx, p, o)
	if errors.Is(err, dataset.ErrNoTrie) {
		return
	}
	if err != nil {
		k.t.Error(err)
		return
	}
	defer t.Close()
	var got []row
	var r row
	var walk func(level int) error
	walk = func(level int) error {
		ok, err := t.Open(k.ctx)
		for ok && err == nil {
			r[o.Columns()[level]] = t.Key()
			if level == 2 {
				got = append(got, r)
			} else if err := walk(level + 1); err != nil {
				return err
			}
			ok, err = t.Next(k.ctx)
		}
		t.Up()
		return err
	}
	if err := walk(0); err != nil {
		k.t.Error(err)
	}
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i][dataset.G] = 0
	}
	if !slices.Equal(got, rows) {
		k.t.Errorf("Trie(%v, %v) has %d rows, want %d", p, o, len(got), len(rows))
	}
}
