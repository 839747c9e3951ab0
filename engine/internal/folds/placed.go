package folds

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/tombstone"
)

// Placed is the fold of the entries below a weight over the base of a view, in one
// graph and one order of the base:
//
//	hidden  = (hidden ∪ (dels ∩ base)) ∖ (adds ∩ base)
//	inserts = (inserts ∖ dels) ∪ (adds ∖ base)
//
// Hidden are the rows of the base that are not visible, one roaring bitmap a tile: a
// deletion vector. Inserts are the rows that the base lacks, in order, each with the
// row of its tile before which it comes; the tile is the first one whose last row is
// not below the insert. It is immutable.
type Placed struct {
	below   uint32
	hidden  tombstone.Set
	inserts []tombstone.Row
	count   uint64 // of hidden
	large   []int  // layers, by index, whose rows passed though they are not in memory
}

// Below returns the weight below which all rows are placed: 0 of nil.
func (p *Placed) Below() uint32 {
	if p == nil {
		return 0
	}
	return p.below
}

// Hidden returns the deletion vector of a tile, nil if all its rows are visible. It
// must not be changed.
func (p *Placed) Hidden(tile uint32) *roaring.Bitmap {
	if p == nil {
		return nil
	}
	return p.hidden.Tile(tile)
}

// Covers reports whether the rows of a layer that is not in memory are placed: false of nil.
func (p *Placed) Covers(layer int) bool { return p != nil && slices.Contains(p.large, layer) }

// CoversLarge reports whether rows of a layer that is not in memory are placed.
func (p *Placed) CoversLarge() bool { return len(p.large) > 0 }

// HiddenRows returns the number of hidden rows: 0 of nil.
func (p *Placed) HiddenRows() uint64 {
	if p == nil {
		return 0
	}
	return p.count
}

// HiddenBefore returns the number of hidden rows of the tiles before one.
func (p *Placed) HiddenBefore(tile uint32) uint64 {
	return p.hidden.Before(tile)
}

// Inserts returns the inserted rows in order. They must not be changed.
func (p *Placed) Inserts() []tombstone.Row {
	if p == nil {
		return nil
	}
	return p.inserts
}

// Size returns the number of changes that it holds.
func (p *Placed) Size() int {
	if p == nil {
		return 0
	}
	return int(p.count) + len(p.inserts)
}

// Moved returns it over the same base as what is placed below a weight, with other keys
// of the inserts, which may change their order among each other, but not the place of
// one in the base. It is nil if move has no key for an insert. Inserts of batches that are
// entries now have weights that are not below it: they get the one of its last entry, so that
// what is newer than all of them wins.
func (p *Placed) Moved(ctx context.Context, below uint32, move func(tombstone.Key) (tombstone.Key, bool)) (*Placed, error) {
	next := *p
	next.below = below
	next.inserts = make([]tombstone.Row, len(p.inserts))
	sorted := true
	for i := range p.inserts {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		r := p.inserts[i]
		var ok bool
		if r.Key, ok = move(r.Key); !ok {
			return nil, nil
		}
		if r.Weight >= below {
			r.Weight = below - 4 | 1
		}
		sorted = sorted && (i == 0 || next.inserts[i-1].Key.Compare(r.Key) < 0)
		next.inserts[i] = r
	}
	if sorted {
		return &next, nil
	}
	return &next, cancel.Sort(ctx, next.inserts, tombstone.CompareRows)
}

// Placer makes a [Placed] of one to which an entry is applied, while the rows of an
// order pass.
type Placer struct {
	from    *Placed // nil: nothing is placed
	below   uint32
	entry   tombstone.Entry // what it does to rows of the base
	inserts []tombstone.Row
	large   []int // see Placed
}

// NewPlacer returns a placer of the rows below a weight. from is what is placed
// already, or nil; large are the layers, by index, that are not in memory and pass too.
func NewPlacer(from *Placed, below uint32, large ...int) *Placer {
	p := &Placer{from: from, below: below, large: large, entry: tombstone.Entry{Dels: new(tombstone.Set), Adds: new(tombstone.Set)}}
	if from != nil {
		p.large = slices.Concat(from.large, large)
	}
	return p
}

// Change takes what the next change does to the rows of a tile.
func (p *Placer) Change(tile uint32, c *Change) {
	switch id := (tombstone.QuadID{Tile: tile, Row: c.At}); {
	case !c.Same:
	case c.Adds():
		p.entry.Adds.Add(id)
	default:
		p.entry.Dels.Add(id)
	}
}

// Inserts takes the next inserts of the result: the earlier ones that the changes left,
// and those that they made.
func (p *Placer) Inserts(rows []tombstone.Row) { p.inserts = append(p.inserts, rows...) }

// Done returns the result. Tiles without a change share their bitmaps with what was
// placed before.
func (p *Placer) Done() *Placed {
	out := &Placed{below: p.below, inserts: p.inserts, large: p.large}
	if p.from != nil {
		out.hidden = p.from.hidden
	}
	out.hidden.Apply(p.entry)
	out.count = out.hidden.Len()
	return out
}
