package tombstone

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawSet draws a set and its twin, a map.
func drawSet(t *rapid.T, label string) (*Set, map[QuadID]bool) {
	s, m := new(Set), map[QuadID]bool{}
	for range rapid.IntRange(0, 30).Draw(t, label) {
		id := QuadID{
			Tile: rapid.Uint32Range(0, 3).Draw(t, "tile"),
			Row:  rapid.Uint32Range(0, 70000).Draw(t, "row"),
		}
		s.Add(id)
		m[id] = true
	}
	return s, m
}

// ids returns the quads of a set.
func (s *Set) ids() map[QuadID]bool {
	out := map[QuadID]bool{}
	for i, tile := range s.tiles {
		for _, row := range s.rows[i].ToArray() {
			out[QuadID{tile, row}] = true
		}
	}
	return out
}

func TestSetAlgebraAgainstMaps(t *testing.T) {
	ops := []struct {
		name string
		do   func(a, b *Set)
		in   func(a, b bool) bool
	}{
		{"or", (*Set).Or, func(a, b bool) bool { return a || b }},
		{"and not", (*Set).AndNot, func(a, b bool) bool { return a && !b }},
		{"apply dels", func(a, b *Set) { a.Apply(Entry{Dels: b, Adds: new(Set)}) }, func(a, b bool) bool { return a || b }},
		{"apply both", func(a, b *Set) { a.Apply(Entry{Dels: b, Adds: b}) }, func(a, b bool) bool { return a && !b }},
	}
	rapid.Check(t, func(t *rapid.T) {
		a, ma := drawSet(t, "a")
		b, mb := drawSet(t, "b")
		for id := range ma { // some in common
			if id.Row%3 == 0 {
				b.Add(id)
				mb[id] = true
			}
		}
		for _, op := range ops {
			got := *a // shares its bitmaps with a
			op.do(&got, b)
			want := map[QuadID]bool{}
			for _, m := range []map[QuadID]bool{ma, mb} {
				for id := range m {
					if op.in(ma[id], mb[id]) {
						want[id] = true
					}
				}
			}
			if have := got.ids(); !equal(have, want) || got.Len() != uint64(len(want)) {
				t.Fatalf("%s: %v, want %v", op.name, have, want)
			}
			if !equal(a.ids(), ma) || !equal(b.ids(), mb) {
				t.Fatalf("%s changed its arguments", op.name)
			}
			if !slices.IsSorted(got.tiles) {
				t.Fatalf("%s: tiles %v", op.name, got.tiles)
			}
		}
	})
}

func equal(a, b map[QuadID]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for id := range a {
		if !b[id] {
			return false
		}
	}
	return true
}
