package datasettest

import (
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
)

// within checks restrictions to sets.
func (k *kit) within(p dataset.Pattern, o dataset.Order, rows []row) {
	if len(k.ids) == 0 {
		return
	}
	opt := &dataset.ScanOptions{}
	for c := range opt.Within {
		if k.r.IntN(2) == 0 || c == 3 && p.G.Mode != dataset.Each {
			continue
		}
		var list []id
		for range 1 + k.r.IntN(1+len(k.ids)/2) {
			list = append(list, k.ids[k.r.IntN(len(k.ids))])
		}
		opt.Within[c] = ids.SetOf(list...)
	}
	var want []row
	for _, r := range rows {
		in := true
		for c, s := range opt.Within {
			in = in && (s == nil || s.Contains(r[c]))
		}
		if in {
			want = append(want, r)
		}
	}
	got, err := k.read(p, o, opt)
	if err != nil || !same(got, want) {
		k.t.Errorf("Scan(%v, %v) within sets: %d rows, %v, want %d", p, o, len(got), err, len(want))
		return
	}
	k.sorted(p, o, got)
}

// parts checks that parts are the whole, and no leading id is in two.
func (k *kit) parts(p dataset.Pattern, o dataset.Order, rows []row) {
	n := 2 + k.r.IntN(3)
	lead := o.Columns()[0]
	var all []row
	owner := make(map[[2]id]int) // by graph and leading id
	for part := range n {
		got, err := k.read(p, o, &dataset.ScanOptions{Part: part, Parts: n})
		if err != nil {
			k.t.Errorf("Scan(%v, %v) part %d: %v", p, o, part, err)
			return
		}
		k.sorted(p, o, got)
		for _, r := range got {
			if p.At(lead) != 0 {
				break
			}
			at := [2]id{r[dataset.G], r[lead]}
			if was, ok := owner[at]; ok && was != part {
				k.t.Errorf("Scan(%v, %v): a leading id in parts %d and %d of %d", p, o, was, part, n)
				return
			}
			owner[at] = part
		}
		all = append(all, got...)
	}
	if !same(all, rows) {
		k.t.Errorf("Scan(%v, %v): %d parts have %d rows, want %d", p, o, n, len(all), len(rows))
	}
}

// key returns the first ids of a row in an order.
func key(r row, o dataset.Order, n int) []id {
	var out []id
	cols := o.Columns()
	for _, c := range cols[:n] {
		out = append(out, r[c])
	}
	return out
}

// atOrBehind returns the first row whose key is that of rows[i], cut to n ids.
func atOrBehind(rows []row, o dataset.Order, i, n int) int {
	for i > 0 && slices.Equal(key(rows[i-1], o, n), key(rows[i], o, n)) {
		i--
	}
	return i
}

// bounds checks From and To.
func (k *kit) bounds(p dataset.Pattern, o dataset.Order, rows []row) {
	if len(rows) == 0 {
		return
	}
	i, j := k.r.IntN(len(rows)), k.r.IntN(len(rows))
	i, j = min(i, j), max(i, j)
	n, m := 1+k.r.IntN(3), 1+k.r.IntN(3)
	opt := &dataset.ScanOptions{From: key(rows[i], o, n), To: key(rows[j], o, m)}
	from, to := atOrBehind(rows, o, i, n), atOrBehind(rows, o, j, m)
	got, err := k.read(p, o, opt)
	if want := rows[min(from, to):to]; err != nil || !slices.Equal(got, want) {
		k.t.Errorf("Scan(%v, %v) from %v to %v: %d rows, %v, want %d", p, o, opt.From, opt.To, len(got), err, len(want))
	}
}

// seek checks Seek after some batches.
func (k *kit) seek(p dataset.Pattern, o dataset.Order, rows []row) {
	if len(rows) == 0 {
		return
	}
	c, err := k.ds.Scan(k.ctx, p, o, nil)
	if err != nil {
		k.t.Error(err)
		return
	}
	defer c.Close()
	at := 0
	var b dataset.Batch
	for at < len(rows) {
		to := at + k.r.IntN(len(rows)-at)
		n := 1 + k.r.IntN(3)
		if err := c.Seek(k.ctx, key(rows[to], o, n)...); err != nil {
			k.t.Error(err)
			return
		}
		at = max(at, atOrBehind(rows, o, to, n))
		if err := c.Next(k.ctx, &b); err != nil {
			k.t.Errorf("Scan(%v, %v): after Seek to row %d of %d: %v", p, o, to, len(rows), err)
			return
		}
		for i := range b.N {
			if got := (row{b.Col[0][i], b.Col[1][i], b.Col[2][i]}); at+i >= len(rows) || got != (row{rows[at+i][0], rows[at+i][1], rows[at+i][2]}) {
				k.t.Errorf("Scan(%v, %v): after Seek to row %d: row %d is %v", p, o, to, at+i, got)
				return
			}
		}
		at += b.N
	}
	if err := c.Next(k.ctx, &b); err != io.EOF {
		k.t.Errorf("Scan(%v, %v): at the end: %v", p, o, err)
	}
}
