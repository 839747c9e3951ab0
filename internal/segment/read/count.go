package read

import (
	"context"
	"io"

	"github.com/rete-go/rete/tile"
)

// Entries returns what the directory knows of the tiles of an order, restricted
// to those that may hold rows with the prefix: for estimates. Row counts are 0
// where no pinned map gives them.
func (s *Segment) Entries(ctx context.Context, graph int, o tile.Order, prefix ...uint32) (_ []tile.Entry, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	lo, hi, err := bounds(prefix)
	if err != nil {
		return nil, err
	}
	t, err := s.table(ctx, graph, o)
	if err != nil {
		return nil, err
	}
	i, err := t.search(ctx, 0, lo)
	if err != nil {
		return nil, err
	}
	sc := &Scan{t: t, lo: lo, hi: hi}
	var list []tile.Entry
	for ; i < t.Tiles; i++ {
		refs, at, err := t.near(ctx, i)
		if err != nil {
			return nil, err
		}
		if after(refs, at, hi) {
			break
		}
		if !sc.skips(refs, at) {
			list = append(list, refs[at].Entry)
		}
	}
	return list, nil
}

// Count returns the exact number of rows with the prefix. By a pinned map it
// decodes at most the tiles at the two ends; else every tile in between, once.
func (s *Segment) Count(ctx context.Context, graph int, o tile.Order, prefix ...uint32) (_ uint64, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	lo, hi, err := bounds(prefix)
	if err != nil {
		return 0, err
	}
	if len(prefix) == 0 && s.root != nil && graph > 0 && graph <= s.counts.Graphs && s.HasOrder(o) {
		g, err := s.graph(ctx, graph)
		if err != nil {
			return 0, err
		}
		if g.Inline { // the container is not opened
			return g.Rows, nil
		}
	}
	t, err := s.table(ctx, graph, o)
	if err != nil {
		return 0, err
	}
	if len(prefix) == 0 && (t.Rows > 0 || t.Tiles == 0) {
		return t.Rows, nil
	}
	if t.pages == nil {
		return t.countRows(ctx, lo, hi)
	}
	from, err := t.rank(ctx, lo)
	if err != nil {
		return 0, err
	}
	end, ok := following(hi)
	if !ok {
		return t.Rows - from, nil
	}
	to, err := t.rank(ctx, end)
	return to - from, err
}

// rank returns how many rows are before key. Row counts are known.
func (t *Table) rank(ctx context.Context, key [3]uint32) (uint64, error) {
	i, err := t.search(ctx, 0, key)
	if err != nil {
		return 0, err
	}
	for ; i < t.Tiles; i++ {
		refs, at, err := t.near(ctx, i)
		if err != nil {
			return 0, err
		}
		if before(refs, at, key) {
			continue
		}
		r := &refs[at]
		if !Less(r.Lower(), key) || after(refs, at, key) {
			return r.Start, nil
		}
		d, err := t.load(ctx, r, nil)
		if err != nil {
			return 0, err
		}
		if row := d.SeekRow(key[0], key[1], key[2]); row < d.Len() {
			return r.Start + uint64(row), nil
		}
	}
	return t.Rows, nil
}

// countRows counts by reading.
func (t *Table) countRows(ctx context.Context, lo, hi [3]uint32) (n uint64, err error) {
	sc := &Scan{t: t, lo: lo, hi: hi, pace: t.s.pace(false)}
	if sc.next, err = t.search(ctx, 0, lo); err != nil {
		return 0, err
	}
	for {
		run, err := sc.Next(ctx)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		n += uint64(run.Len())
	}
}

// Quads returns the exact number of quads of all graphs. By a pinned map it reads
// nothing.
func (s *Segment) Quads(ctx context.Context) (_ uint64, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if s.counts.QuadsKnown {
		return s.counts.Quads, nil
	}
	var total uint64
	for g := 0; g <= s.counts.Graphs; g++ {
		n, err := s.Count(ctx, g, tile.SPO)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
