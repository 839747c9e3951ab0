package tombstone_test

import (
	"fmt"

	"github.com/rete-go/rete/tombstone"
)

// Two entries are folded over a base: the first deletes three of its quads, the second adds
// one of them again.
func Example() {
	id := func(tile, row uint32) tombstone.QuadID { return tombstone.QuadID{Tile: tile, Row: row} }
	set := func(ids ...tombstone.QuadID) *tombstone.Set {
		s := new(tombstone.Set)
		for _, id := range ids {
			s.Add(id)
		}
		return s
	}
	hidden := set()
	for _, e := range []tombstone.Entry{
		{Dels: set(id(0, 3), id(0, 17), id(4, 511)), Adds: set()},
		{Dels: set(), Adds: set(id(0, 17))},
	} {
		hidden.Apply(e)
	}
	fmt.Println("tile 0:", hidden.Tile(0), "tile 4:", hidden.Tile(4), "tile 5:", hidden.Tile(5))
	// Output: tile 0: {3} tile 4: {511} tile 5: <nil>
}

// Sets of quads are combined tile by tile.
func ExampleSet_AndNot() {
	var a, b tombstone.Set
	for row := range uint32(6) {
		a.Add(tombstone.QuadID{Tile: 1, Row: row})
	}
	for row := range uint32(3) {
		b.Add(tombstone.QuadID{Tile: 1, Row: 2 * row})
		b.Add(tombstone.QuadID{Tile: 2, Row: row})
	}
	a.AndNot(&b)
	fmt.Println(a.Tile(1), a.Tile(2))
	a.Or(&b)
	fmt.Println(a.Tile(1), a.Tile(2))
	// Output:
	// {1,3,5} <nil>
	// {0,1,2,3,4,5} {0,1,2}
}

// A run keeps the rows of entries in order; the first row that is not below a key begins
// what a scan reads.
func ExampleSearch() {
	rows := []tombstone.Row{{Key: tombstone.Key{1, 2, 3}}, {Key: tombstone.Key{1, 5, 1}}, {Key: tombstone.Key{2, 2, 2}}}
	fmt.Println(tombstone.Search(rows, tombstone.Key{1, 3, 0}), tombstone.Search(rows, tombstone.MaxKey))
	// Output: 1 3
}
