package rowset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// TestBlockBorders compares what is done in blocks with the plain way, for as many rows as
// lie at the borders of blocks.
func TestBlockBorders(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	ctx := t.Context()
	for _, n := range []int{0, 1, 2, cancel.Block - 1, cancel.Block, cancel.Block + 1, 2 * cancel.Block, 3*cancel.Block + 5} {
		for kind, of := range map[string]func(i int) id{
			"random":     func(int) id { return id(r.Uint64()>>24) | 1 },
			"few":        func(int) id { return 5 + id(r.IntN(7)) },
			"near":       func(int) id { return 1000 + id(r.IntN(n)) },
			"ascending":  func(i int) id { return id(i) + 3 },
			"descending": func(i int) id { return id(n-i) * 1_000_003 },
			"bursts":     func(i int) id { return id(i/1000) + 1 },
		} {
			list, other := make([]id, n), make([]id, n)
			for i := range list {
				list[i], other[i] = of(i), of(i)
			}
			must := func(what string, ok bool, err error) {
				t.Helper()
				if err != nil || !ok {
					t.Errorf("%s, %d rows %s: %v", what, n, kind, err)
				}
			}
			sorted := slices.Clone(list)
			slices.Sort(sorted)
			sorted = slices.Compact(sorted)
			got, err := SortedIDs(ctx, slices.Clone(list))
			must("sorted ids", slices.Equal(got, sorted), err)
			got, err = ExtendChecking(ctx, slices.Clip(slices.Clone(list)), 1)
			must("extended", slices.Equal(got, list) && cap(got) > n, err)

			set := new(dataset.IDSet)
			err = AddSorted(ctx, set, sorted)
			must("set", slices.Equal(set.Append(nil), sorted), err)
			checks := 0
			got, err = set.AppendChecking([]id{7}, func() error { checks++; return nil })
			must("ids of a set", slices.Equal(got[1:], sorted) && got[0] == 7 && checks >= len(sorted)>>16, err)

			at, err := TableOf(ctx, sorted)
			must("places", allOf(sorted, func(i int, k id) bool {
				return at.Find(k) == int32(i)+1 && (i+1 == len(sorted) || sorted[i+1] == k+1 || at.Find(k+1) == 0)
			}), err)

			rel := NewRelation([]plan.Var{1, 2})
			batch := Batch{N: n, Col: [][]id{list, other}}
			for from := 0; from < n; from += 1000 {
				part := batch.Slice(from, min(1000, n-from))
				must("rows", true, rel.AddChecking(ctx, &part))
			}
			must("rows", rel.N == n && slices.Equal(rel.Col[0], list) && slices.Equal(rel.Col[1], other), nil)
			span, err := rel.Span(ctx, 1)
			must("span", span.Rows == n && (n == 0 || span.Lo == sorted[0] && span.Hi == sorted[len(sorted)-1]), err)
			sets, err := rel.IDs(ctx, 1)
			must("ids of a column", slices.Equal(sets.Stored.Append(nil), sorted), err)

			for columns := 1; columns <= 3; columns++ {
				s, seen := NewSet(columns), make(map[[3]id]int)
				for from := 0; from < n; from += 1000 {
					to := min(from+1000, n)
					must("row set", true, s.Reserve(ctx, to-from))
					for i := from; i < to; i++ {
						key := [3]id{list[i], other[i], list[i] % 3}
						for c := columns; c < 3; c++ {
							key[c] = 0
						}
						want, had := seen[key]
						if !had {
							want = len(seen)
							seen[key] = want
						}
						if at, fresh := s.Add([][]id{{key[0]}, {key[1]}, {key[2]}}[:columns], 0); at != want || fresh == had {
							t.Fatalf("row set of %d columns, %d rows %s: row %d is %d, %v", columns, n, kind, i, at, fresh)
						}
					}
				}
			}

			m, nodes, bits := NewIDMap(), NewNodeSets(), make(map[id]uint64)
			must("map", true, m.Reserve(ctx, len(sorted)))
			for i, k := range sorted {
				at, _ := m.Add(k)
				m.Vals[at] = id(i)
			}
			must("map", m.Len() == len(sorted) && allOf(sorted, func(i int, k id) bool {
				at, fresh := m.Add(k)
				return !fresh && m.Find(k) == at && m.Vals[at] == id(i)
			}), nil)
			for i, k := range list {
				set := uint64(1) << (other[i] % 60)
				if fresh := nodes.Add(ctx, k, set); fresh != set&^bits[k] {
					t.Fatalf("nodes, %d rows %s: %x is new", n, kind, fresh)
				}
				bits[k] |= set
			}
			count := 0
			err = nodes.Each(ctx, func(node id, set uint64) {
				if count++; bits[node] != set {
					t.Errorf("nodes, %d rows %s: %x of %d", n, kind, set, node)
				}
			})
			must("nodes", count == len(bits), err)
			for _, keys := range [][][]id{{list}, {list, other}} {
				s, err := LayoutOf(ctx, keys, n)
				var tab Table
				if err == nil {
					err = tab.Build(ctx, cores.Limit{Most: 1}, s)
				}
				must("table", checkChains(&tab, keys, n), err)
			}
		}
	}
}

func allOf(list []id, ok func(i int, k id) bool) bool {
	for i, k := range list {
		if !ok(i, k) {
			return false
		}
	}
	return true
}

// checkChains reports whether the chains of a table have each row once, ascending, with the
// rows of its key.
func checkChains(tab *Table, keys [][]id, n int) bool {
	in := 0
	for head, chain := range tab.Heads {
		for last := int32(0); chain != 0; chain = tab.Next[chain-1] {
			row := int(chain) - 1
			at := HashRow(keys, row) >> tab.Shift
			if tab.Direct {
				at = uint64(keys[0][row] - tab.Base)
			}
			if chain <= last || at != uint64(head) {
				return false
			}
			last = chain
			in++
		}
	}
	return in == n
}
