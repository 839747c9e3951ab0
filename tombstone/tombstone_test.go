package tombstone_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/tombstone"
)

// resolve turns a log of quads into a log of ids, tiles of three rows.
func resolve(log []model.Entry) ([]tombstone.Entry, map[tombstone.QuadID]model.Quad) {
	first := tombstone.NewFirst[model.Quad]()
	quads := map[tombstone.QuadID]model.Quad{}
	out := make([]tombstone.Entry, len(log))
	for i, e := range log {
		out[i] = tombstone.Entry{Dels: new(tombstone.Set), Adds: new(tombstone.Set)}
		for _, q := range e.Dels {
			if id, ok := first.Find(q); ok {
				out[i].Dels.Add(id)
			}
		}
		for k, q := range e.Adds {
			id := first.Hold(q, tombstone.QuadID{Layer: uint32(i), Tile: uint32(k / 3), Row: uint32(k % 3)})
			quads[id] = q
			out[i].Adds.Add(id)
		}
	}
	return out, quads
}

func drawLog(t *rapid.T) []model.Entry {
	seed := rapid.Uint64().Draw(t, "seed")
	shape := model.Shape{
		Terms:   rapid.IntRange(2, 10).Draw(t, "terms"),
		Entries: rapid.IntRange(1, 8).Draw(t, "entries"),
		Quads:   rapid.IntRange(1, 15).Draw(t, "quads"),
	}
	return model.Log(rand.New(rand.NewPCG(seed, 5)), shape)
}

func visibleQuads(s *tombstone.Set, quads map[tombstone.QuadID]model.Quad) []model.Quad {
	set := model.Set{}
	for id := range s.All() {
		set[quads[id]] = true
	}
	return set.Sorted()
}

func TestFoldIsTheFoldOfStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		ids, quads := resolve(log)
		visible := tombstone.Fold(ids)
		want := model.Fold(log).Sorted()
		if got := visibleQuads(visible, quads); !slices.Equal(got, want) {
			t.Fatalf("visible:\n got %v\nwant %v", got, want)
		}
		if visible.Len() != uint64(len(want)) {
			t.Fatalf("Len %d, want %d", visible.Len(), len(want))
		}
	})
}

func TestComposedRunHasTheSameEffect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		ids, _ := resolve(log)
		i := rapid.IntRange(0, len(log)-1).Draw(t, "from")
		j := rapid.IntRange(i, len(log)-1).Draw(t, "to")
		one := ids[i]
		for _, e := range ids[i+1 : j+1] {
			one = tombstone.Compose(one, e)
		}
		short := slices.Concat(ids[:i], []tombstone.Entry{one}, ids[j+1:])
		if got, want := tombstone.Fold(short), tombstone.Fold(ids); !got.Equal(want) {
			t.Fatalf("fold of the composed log has %d quads, want %d", got.Len(), want.Len())
		}
	})
}

func TestCompositionIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		ids, _ := resolve(model.Log(rand.New(rand.NewPCG(seed, 6)), model.Shape{Entries: 3}))
		a, b, c := ids[0], ids[1], ids[2]
		left := tombstone.Compose(tombstone.Compose(a, b), c)
		right := tombstone.Compose(a, tombstone.Compose(b, c))
		if !left.Adds.Equal(right.Adds) || !left.Dels.Equal(right.Dels) {
			t.Fatalf("(ab)c adds %d dels %d, a(bc) adds %d dels %d",
				left.Adds.Len(), left.Dels.Len(), right.Adds.Len(), right.Dels.Len())
		}
	})
}

// drawSet draws a set and its twin, a map.
func drawSet(t *rapid.T, label string) (*tombstone.Set, map[tombstone.QuadID]bool) {
	s, m := new(tombstone.Set), map[tombstone.QuadID]bool{}
	for range rapid.IntRange(0, 30).Draw(t, label) {
		id := tombstone.QuadID{
			Layer: rapid.Uint32Range(0, 3).Draw(t, "layer"),
			Tile:  rapid.Uint32Range(0, 3).Draw(t, "tile"),
			Row:   rapid.Uint32Range(0, 70000).Draw(t, "row"),
		}
		s.Add(id)
		m[id] = true
	}
	return s, m
}

func TestSetOperationsAgainstMaps(t *testing.T) {
	ops := []struct {
		name string
		do   func(a, b *tombstone.Set)
		in   func(a, b bool) bool
	}{
		{"or", (*tombstone.Set).Or, func(a, b bool) bool { return a || b }},
		{"and not", (*tombstone.Set).AndNot, func(a, b bool) bool { return a && !b }},
		{"and", (*tombstone.Set).And, func(a, b bool) bool { return a && b }},
		{"xor", (*tombstone.Set).Xor, func(a, b bool) bool { return a != b }},
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
			got, before := a.Clone(), b.Clone()
			op.do(got, b)
			if !b.Equal(before) {
				t.Fatalf("%s changed its argument", op.name)
			}
			n := uint64(0)
			for _, m := range []map[tombstone.QuadID]bool{ma, mb} {
				for id := range m {
					if want := op.in(ma[id], mb[id]); got.Contains(id) != want {
						t.Fatalf("%s: %v in the result: %v, want %v", op.name, id, !want, want)
					}
				}
			}
			for id := range got.All() {
				if !op.in(ma[id], mb[id]) {
					t.Fatalf("%s: %v should not be there", op.name, id)
				}
				n++
			}
			if n != got.Len() {
				t.Fatalf("%s: Len %d, All gave %d", op.name, got.Len(), n)
			}
			data, err := got.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			back, err := tombstone.Parse(data)
			if err != nil || !back.Equal(got) {
				t.Fatalf("%s: stored and read again: %v", op.name, err)
			}
		}
	})
}

func TestAddRowsAndRanges(t *testing.T) {
	s := new(tombstone.Set)
	s.AddRows(2, 7, []uint32{1, 5, 9})
	s.AddRange(2, 7, 5, 8)
	s.AddRange(0, 1, 4, 4)
	s.Add(tombstone.QuadID{Layer: 1, Tile: 0, Row: 3})
	var got []uint32
	for id := range s.All() {
		got = append(got, id.Layer*100+id.Tile*10+id.Row)
	}
	if want := []uint32{103, 271, 275, 276, 277, 279}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s.LayerLen(2) != 5 || s.LayerLen(1) != 1 || s.LayerLen(0) != 0 {
		t.Errorf("layers have %d, %d, %d quads", s.LayerLen(0), s.LayerLen(1), s.LayerLen(2))
	}
	if s.Tile(2, 7).GetCardinality() != 5 || s.Tile(2, 8) != nil {
		t.Error("Tile")
	}
	n := 0
	for range s.Tiles() {
		n++
	}
	if n != 2 || s.Bytes() <= 0 {
		t.Errorf("%d tiles, %d bytes", n, s.Bytes())
	}
}

func sample(t testing.TB) []byte {
	t.Helper()
	s := tombstone.NewSet(tombstone.QuadID{Layer: 0, Tile: 1, Row: 2}, tombstone.QuadID{Layer: 3, Tile: 0, Row: 70000})
	s.AddRange(1, 1, 100, 9000)
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEveryChangedByteAndEveryCutIsDamage(t *testing.T) {
	data := sample(t)
	for i := range data {
		for _, bit := range []byte{1, 0x80} {
			bad := slices.Clone(data)
			bad[i] ^= bit
			if _, err := tombstone.Parse(bad); !errors.Is(err, damage.Err) {
				t.Fatalf("byte %d changed: %v", i, err)
			}
		}
		if _, err := tombstone.Parse(data[:i]); !errors.Is(err, damage.Err) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := tombstone.Parse(append(slices.Clone(data), 0)); !errors.Is(err, damage.Err) {
		t.Fatalf("a byte too many: %v", err)
	}
}
