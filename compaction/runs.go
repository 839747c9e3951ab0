package compaction

import (
	"cmp"
	"slices"

	"github.com/rete-go/rete/tile"
)

// row is one triple in the columns of the order that is being made.
type row [3]uint32

func compareRows(x, y row) int {
	for i := range x {
		if c := cmp.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return 0
}

// chunkRows is how many rows of a run are kept together, and written to a
// temporary file together.
const chunkRows = 8192

// run is a sequence of rows of one layer. It is filled, then sorted if it has
// to be, and then read once.
type run struct {
	weight uint32
	space  *space
	open   []row // the chunk that is being filled
	full   []chunk
}

// chunk is a part of a run, in memory or in the temporary file.
type chunk struct {
	rows   []row // nil: in the file
	offset int64
	n      int
}

func (r *run) add(x row) error {
	if len(r.open) == chunkRows {
		if err := r.close(); err != nil {
			return err
		}
	}
	r.open = append(r.open, x)
	return nil
}

// close ends the open chunk.
func (r *run) close() error {
	if len(r.open) == 0 {
		return nil
	}
	c, err := r.space.keep(r.open)
	if err != nil {
		return err
	}
	if c.rows == nil {
		r.open = r.open[:0]
	} else {
		r.open = nil
	}
	r.full = append(r.full, c)
	return nil
}

// sort sorts the rows of the run, all of which it holds in memory.
func (r *run) sort() error {
	var all []row
	for i := range r.full {
		rows, err := r.space.take(&r.full[i], nil)
		if err != nil {
			return err
		}
		all = append(all, rows...)
	}
	all = append(all, r.open...)
	slices.SortFunc(all, compareRows)
	r.full, r.open = nil, all
	return nil
}

// runs are the rows of one graph of one layer in one order, cut so that each run
// is sorted: one run for each combination of old and new role of subject and
// object, and one for the rest, which is not.
type runs struct {
	part
	order tile.Order
	space *space

	cols [3]int      // of the order: 0 subject, 1 predicate, 2 object
	maps [3][]uint32 // of the columns
	old  [3]uint32   // largest id of the first role, before the map
	now  [3]uint32   // and behind it
	list [64]*run    // by roles
	rest *run        // rows to be sorted
	used []*run      // those that have rows
	buf  [3][]uint32 // columns of a batch
	must bool        // all rows have to be sorted
	from tile.Order  // the order in which the layer is read
	perm [3]int      // column of from that column i of order is
}

// batch is the number of rows that are translated at a time.
const batch = 1024

// newRuns prepares the translation of a part of a graph.
func (j *job) newRuns(p part, o tile.Order, s *space) *runs {
	r := &runs{part: p, order: o, space: s, cols: o.Columns(), from: o}
	if !p.l.HasOrder(o) {
		r.must = true
		for r.from = tile.SPO; r.from.Columns()[0] != r.cols[0]; r.from++ {
		}
	}
	for i, col := range r.cols {
		r.perm[i] = slices.Index(tileColumns(r.from), col)
		r.maps[i] = p.l.ids[col]
		r.old[i], r.now[i] = ^uint32(0), ^uint32(0)
		if col != 1 {
			r.old[i], r.now[i] = p.l.counts.Shared, j.shared
		}
		r.buf[i] = make([]uint32, batch)
	}
	return r
}

func tileColumns(o tile.Order) []int {
	c := o.Columns()
	return c[:]
}
