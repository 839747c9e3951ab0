package compaction

import (
	"cmp"
	"slices"

	"github.com/rete-go/rete/internal/scratch"
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
	groups bool  // only the first column comes in order
	limit  int   // rows at which the open chunk is closed
	open   []row // the chunk that is being filled
	full   []chunk
}

// chunk is a part of a run, in memory or in the temporary file.
type chunk struct {
	rows  []row // nil: in the file
	piece scratch.Piece
	n     int
}

// close ends the open chunk. Where only the first column comes in order it is
// sorted before; unless these rows are the last, those of the last first id stay
// open then, as more of them may come.
func (r *run) close(last bool) error {
	var tail []row
	if r.groups {
		cut := len(r.open)
		for !last && cut > 0 && r.open[cut-1][0] == r.open[len(r.open)-1][0] {
			cut--
		}
		if cut == 0 {
			r.limit = 2 * len(r.open)
			return nil
		}
		tail = append(tail, r.open[cut:]...)
		r.open = r.open[:cut]
		sortGroups(r.open)
	}
	if len(r.open) == 0 {
		return nil
	}
	c, err := r.space.store(r.open)
	if err != nil {
		return err
	}
	r.full = append(r.full, c)
	r.limit = chunkRows
	switch {
	case c.rows == nil:
		r.open = append(r.open[:0], tail...)
	case last:
		r.open = nil
	default:
		r.open = append(make([]row, 0, chunkRows), tail...)
	}
	return nil
}

// sortGroups sorts rows whose first column is in order.
func sortGroups(rows []row) {
	for i := 0; i < len(rows); {
		k := i + 1
		for k < len(rows) && rows[k][0] == rows[i][0] {
			k++
		}
		slices.SortFunc(rows[i:k], compareRows)
		i = k
	}
}

// sort sorts the rows of the run, all of which it holds in memory.
func (r *run) sort() error {
	var all []row
	for i := range r.full {
		rows, err := r.space.load(&r.full[i], nil)
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

	cols [3]int    // of the order: 0 subject, 1 predicate, 2 object
	maps [3]*table // of the columns
	old  [3]uint32 // largest id of the first role, before the map
	now  [3]uint32 // and after it
	list [64]*run  // by roles
	rest *run      // rows to be sorted
	used []*run    // those that have rows
	buf  *batch
	from tile.Order // the order in which the layer is read: at least the first column is right
	perm [3]int     // column of from that column i of order is
}

// Rows are translated, and handed to a sink, by batches: of leastBatch rows if all maps are in memory, else
// of as many as memory allows, as each batch reads the pages of its ids.
const (
	leastBatch = 4096
	mostBatch  = 1 << 20
	batchBytes = 8 * idBytes // of a row: two batches of columns, and the places of two groupings
)

// columns are three columns of a batch.
type columns [3][]uint32

// batch is the memory of rows that are translated: before it, and after.
type batch struct {
	old, now columns
	group    grouping
}

// takeBatch returns the memory of a batch, to be given back.
func (j *job) takeBatch() *batch {
	select {
	case b := <-j.batches:
		return b
	default:
	}
	b := new(batch)
	for i := range b.old {
		b.old[i], b.now[i] = make([]uint32, j.rows), make([]uint32, j.rows)
	}
	return b
}

// newRuns prepares the translation of a part of a graph.
func (j *job) newRuns(p part, o tile.Order, s *space, buf *batch) *runs {
	r := &runs{part: p, order: o, space: s, cols: o.Columns(), from: o, buf: buf}
	if !p.l.HasOrder(o) {
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
	}
	return r
}

func tileColumns(o tile.Order) []int {
	c := o.Columns()
	return c[:]
}
