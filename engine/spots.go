package engine

import "sync/atomic"

// A spot is where a row of another layer belongs in the base, and what it does
// there: the row in its tile, times four, and one of the effects. It is 0 as long as
// nobody looked. The tile is the first one whose last row is not below the row, so
// it need not be told: who reads the base in order meets it.
//
// Layers and the base do not change, so that a spot holds as long as the base is
// the same. Spots of rows in memory are kept beside them and are read and written
// atomically; racing goroutines store equal values.
type spot uint32

// The effects of a row.
const (
	spotUnknown spot = iota
	spotIdle         // the base says the same
	spotInsert       // it comes before the base's row
	spotHide         // it takes the base's row away
	spotBits    = 2
)

// maxTileRows is how many rows a tile of the base may have: those that a spot can name.
const maxTileRows = 1 << (32 - spotBits)

func (p spot) row() int     { return int(p >> spotBits) }
func (p spot) effect() spot { return p & (1<<spotBits - 1) }

// spotAt returns the spot of r at a row of the base's tile; same is true if that
// is the same quad.
func (q *query) spotAt(r *sideRow, row int, same bool) spot {
	at := spot(row) << spotBits
	switch adds := r.adds(); {
	case adds && !same:
		return at | spotInsert
	case !adds && same && r.weight > q.v.base.weight:
		return at | spotHide
	}
	return at | spotIdle
}

// sideRows are rows of layers other than the base, and their spots.
type sideRows struct {
	rows  []sideRow
	spots []uint32 // nil: nobody remembers them
}

// drop returns the rows without the first n.
func (s sideRows) drop(n int) sideRows {
	s.rows = s.rows[n:]
	if s.spots != nil {
		s.spots = s.spots[n:]
	}
	return s
}

// take returns the first n rows.
func (s sideRows) take(n int) sideRows {
	s.rows = s.rows[:n]
	if s.spots != nil {
		s.spots = s.spots[:n]
	}
	return s
}

// within is [sideRange] with the spots.
func (s sideRows) within(lo, hi key3) sideRows {
	from := sideSearch(s.rows, lo)
	s = s.drop(from)
	return s.take(sideSearch(s.rows, hi))
}

// from is [sideFrom] with the spots.
func (s sideRows) from(lo key3) sideRows {
	return s.drop(len(s.rows) - len(sideFrom(s.rows, lo)))
}

// known returns the spot of row i, 0 if nobody has looked.
func (s *sideRows) known(i int) spot {
	if s.spots == nil {
		return spotUnknown
	}
	return spot(atomic.LoadUint32(&s.spots[i]))
}

// learn remembers the spot of row i.
func (s *sideRows) learn(i int, p spot) {
	if s.spots != nil {
		atomic.StoreUint32(&s.spots[i], uint32(p))
	}
}

// append moves the first n rows of from behind those of s, with their spots if s has any.
func (s *sideRows) append(from *sideRows, n int) {
	s.rows = append(s.rows, from.rows[:n]...)
	if s.spots != nil {
		for i := range n {
			s.spots = append(s.spots, uint32(from.known(i)))
		}
	}
	*from = from.drop(n)
}
