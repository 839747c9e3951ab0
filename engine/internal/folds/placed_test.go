package folds

import (
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/tombstone"
)

// baseRows is a base of single-column keys in tiles of four rows.
type baseRows []uint64

const baseTile = 4

// locate returns a row as a change, and its tile: the first one whose last row is not
// below it.
func (b baseRows) locate(r tombstone.Row) (tile uint32, c Change) {
	i := sort.Search(len(b), func(i int) bool { return b[i] >= r.Key[0] })
	c = Change{Row: r, Same: i < len(b) && b[i] == r.Key[0]}
	c.At = uint32(i % baseTile)
	return uint32(i / baseTile), c
}

// step applies netted rows to what is placed, tile by tile.
func (b baseRows) step(p *Placed, rows []tombstone.Row, below uint32) *Placed {
	placer := NewPlacer(p, below)
	step := Step{Inserts: p.Inserts()}
	for tile := uint32(0); int(tile)*baseTile <= len(b); tile++ {
		end := tombstone.MaxKey
		if last := int(tile+1)*baseTile - 1; last < len(b) {
			end = tombstone.Key{b[last]}.After(3)
		}
		step.Begin(hiddenRows(p, tile))
		for len(rows) > 0 && rows[0].Key.Compare(end) < 0 {
			_, c := b.locate(rows[0])
			placer.Change(tile, &c)
			step.Change(&c)
			rows = rows[1:]
		}
		placer.Inserts(step.End(baseTile, end).Inserts)
	}
	return placer.Done()
}

// hiddenRows returns the hidden rows of a tile.
func hiddenRows(p *Placed, tile uint32) []uint32 {
	if h := p.Hidden(tile); h != nil {
		return h.ToArray()
	}
	return nil
}

// visible returns the keys that a placed fold shows.
func (b baseRows) visible(p *Placed) []uint64 {
	var out []uint64
	for i, k := range b {
		if h := p.Hidden(uint32(i / baseTile)); h == nil || !h.Contains(uint32(i%baseTile)) {
			out = append(out, k)
		}
	}
	for _, r := range p.Inserts() {
		out = append(out, r.Key[0])
	}
	slices.Sort(out)
	return out
}

// TestStepsAreTheFold: entries that are applied one after the other, in several at
// once, or all together, show what the fold of plain sets shows.
func TestStepsAreTheFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Uint64Range(0, 40)
		base := baseRows(rapid.SliceOfNDistinct(key, 0, 30, rapid.ID[uint64]).Draw(t, "base"))
		slices.Sort(base)
		want := map[uint64]bool{}
		for _, k := range base {
			want[k] = true
		}
		var all [][]tombstone.Row
		var one, several *Placed
		for e := range rapid.IntRange(0, 6).Draw(t, "entries") {
			weight := uint32(4 * (e + 1))
			dels, adds := rapid.SliceOfN(key, 0, 12).Draw(t, "dels"), rapid.SliceOfN(key, 0, 12).Draw(t, "adds")
			var rows []tombstone.Row
			for _, k := range dels {
				rows = append(rows, tombstone.Row{Key: tombstone.Key{k}, Weight: weight})
				delete(want, k)
			}
			for _, k := range adds {
				rows = append(rows, tombstone.Row{Key: tombstone.Key{k}, Weight: weight + 1})
				want[k] = true
			}
			rows, err := tombstone.Net(t.Context(), rows)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, rows)
			one = base.step(one, rows, weight+4)
			if e%2 == 1 {
				several = base.step(several, netAll(t, all[e-1:]), weight+4)
			}
		}
		if len(all)%2 == 1 {
			several = base.step(several, all[len(all)-1], 1<<20)
		}
		keys := []uint64{}
		for k := range want {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for name, p := range map[string]*Placed{"one by one": one, "in pairs": several, "together": base.step(nil, netAll(t, all), 1<<20)} {
			if got := base.visible(p); !slices.Equal(got, keys) {
				t.Fatalf("%s: %v, want %v", name, got, keys)
			}
			if p == nil {
				continue
			}
			hidden := uint64(0)
			for tile := range uint32(len(base)/baseTile + 1) {
				if got := p.HiddenBefore(tile); got != hidden {
					t.Fatalf("%s: %d rows hidden before tile %d, want %d", name, got, tile, hidden)
				}
				if h := p.Hidden(tile); h != nil {
					hidden += h.GetCardinality()
				}
			}
			if p.HiddenRows() != hidden || p.Size() != int(hidden)+len(p.Inserts()) {
				t.Fatalf("%s: %d hidden, %d in tiles; size %d", name, p.HiddenRows(), hidden, p.Size())
			}
		}
	})
}

// netAll nets the rows of entries into one list.
func netAll(t *rapid.T, entries [][]tombstone.Row) []tombstone.Row {
	rows, err := tombstone.Net(t.Context(), slices.Concat(entries...))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
