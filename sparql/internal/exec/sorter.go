package exec

import (
	"bytes"
	"container/heap"
	"slices"
)

// sorter sorts rows by keys of bytes; equal rows stay in their order. If only the
// first few are wanted, the others are thrown away in between. Refused memory, it
// writes sorted runs to files and merges them at the end.
type sorter struct {
	run    *Run
	hold   holding
	limit  int64 // rows that are wanted; below zero: all
	rows   *relation
	text   []byte // the keys of the rows, one after the other
	ends   []int
	sorted []int32
	at     int
	bound  []byte // a row with this key or a later one is not wanted; nil: any may be
	busy   bool   // keys are being added, or rows read
	runs   []*spillReader
	merge  runHeap
}

func (r *Run) newSorter(op string, columns int, limit int64) *sorter {
	s := &sorter{run: r, hold: r.holding(op), limit: limit, rows: newRelation(make([]Var, columns))}
	r.Budget.register(s)
	return s
}

// The caller adds the keys of a batch's rows, each to text and then its end to
// ends, between begin and add.
func (s *sorter) begin()  { s.busy = true }
func (s *sorter) endKey() { s.ends = append(s.ends, len(s.text)) }

// add adds the rows of the batch whose keys were added.
func (s *sorter) add(b *Batch) error {
	s.rows.add(b)
	s.busy = false
	if s.limit >= 0 && int64(s.rows.n) > 2*s.limit+batchRows {
		if err := s.sort(); err != nil {
			return err
		}
		s.cut(int(s.limit))
	}
	return s.hold.to(s.bytes())
}

func (s *sorter) bytes() int64 {
	return s.rows.bytes() + int64(cap(s.text)) + int64(cap(s.ends))*8 + int64(cap(s.sorted))*4
}

// spillable implements spiller.
func (s *sorter) spillable() int64 {
	if s.busy || s.rows.n == 0 {
		return 0
	}
	return max(s.hold.bytes, 1) // the first rows may not be counted yet
}

// spill writes what is held as a run.
func (s *sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	f, err := s.hold.newSpillFile(spillBlock)
	if err != nil {
		return err
	}
	for n, row := range s.sorted {
		if n%looks == looks-1 {
			if err := s.run.Values.Cancelled(); err != nil {
				return err
			}
		}
		if err := f.row(s.key(row), s.rows.col, int(row)); err != nil {
			return err
		}
	}
	r, err := f.finish(len(s.rows.col))
	if err != nil {
		return err
	}
	s.runs = append(s.runs, r)
	s.rows, s.text, s.ends, s.sorted = newRelation(s.rows.vars), nil, nil, nil
	s.hold.free()
	return nil
}

func (s *sorter) key(row int32) []byte {
	from := 0
	if row > 0 {
		from = s.ends[row-1]
	}
	return s.text[from:s.ends[row]]
}

// looks is how many rows or comparisons there are between two looks at the
// context.
const looks = 64 << 10

// sort sorts the numbers of the rows. When the query is cancelled, all rows are
// equal from then on, so that the sorting ends soon.
func (s *sorter) sort() error {
	var err error
	compared := 0
	s.sorted = s.sorted[:0]
	for row := range s.rows.n {
		s.sorted = append(s.sorted, int32(row))
	}
	slices.SortFunc(s.sorted, func(a, b int32) int {
		if compared++; compared%looks == 0 && err == nil {
			err = s.run.Values.Cancelled()
		}
		if err != nil {
			return 0
		}
		if c := bytes.Compare(s.key(a), s.key(b)); c != 0 {
			return c
		}
		return int(a) - int(b)
	})
	if s.limit >= 0 && int64(len(s.sorted)) > s.limit {
		s.sorted = s.sorted[:s.limit]
	}
	return err
}

// cut throws all rows away but the first ones, and renumbers those.
func (s *sorter) cut(n int) {
	rows := newRelation(s.rows.vars)
	var text []byte
	var ends []int
	for _, row := range s.sorted[:min(n, len(s.sorted))] {
		for c := range rows.col {
			rows.col[c] = append(rows.col[c], s.rows.col[c][row])
		}
		rows.n++
		text = append(text, s.key(row)...)
		ends = append(ends, len(text))
	}
	s.rows, s.text, s.ends = rows, text, ends
	if rows.n == n && n > 0 {
		s.bound = s.key(int32(n - 1))
	}
}

// finish ends the adding: rows can be read then.
func (s *sorter) finish() error {
	if len(s.runs) > 0 && s.rows.n > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.busy = true
	if len(s.runs) == 0 {
		return s.sort()
	}
	for i, r := range s.runs {
		ok, err := r.next()
		if err != nil {
			return err
		}
		if ok {
			s.merge = append(s.merge, mergeRun{r, i})
		}
	}
	heap.Init(&s.merge)
	return nil
}

// next fills a batch with the next rows; it is empty at the end. keys, if not
// nil, is called with the key of each row.
func (s *sorter) next(out *Batch, key func(key []byte)) error {
	out.N = 0
	for c := range out.Col {
		out.Col[c] = out.Col[c][:0]
	}
	if len(s.runs) > 0 {
		return s.nextMerged(out, key)
	}
	n := min(len(s.sorted)-s.at, batchRows)
	for _, row := range s.sorted[s.at : s.at+n] {
		for c, src := range s.rows.col {
			out.Col[c] = append(out.Col[c], src[row])
		}
		if key != nil {
			key(s.key(row))
		}
	}
	s.at += n
	out.N = n
	return nil
}

// nextMerged merges the runs.
func (s *sorter) nextMerged(out *Batch, key func(key []byte)) error {
	for out.N < batchRows && len(s.merge) > 0 && (s.limit < 0 || int64(s.at) < s.limit) {
		r := s.merge[0].r
		for c := range out.Col {
			out.Col[c] = append(out.Col[c], r.row[c])
		}
		if key != nil {
			key(r.key)
		}
		out.N++
		s.at++
		ok, err := r.next()
		if err != nil {
			return err
		}
		if ok {
			heap.Fix(&s.merge, 0)
		} else {
			heap.Pop(&s.merge)
		}
	}
	return nil
}

// close frees memory and files.
func (s *sorter) close() {
	s.hold.budget.unregister(s)
	for _, r := range s.runs {
		_ = r.close() // read-only by now, and gone either way
	}
	s.runs, s.merge = nil, nil
	s.rows, s.text, s.ends, s.sorted = newRelation(s.rows.vars), nil, nil, nil
	s.hold.free()
}

// mergeRun is a run at its next row; runs are in the order of their rows.
type mergeRun struct {
	r     *spillReader
	order int
}

type runHeap []mergeRun

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(a, b int) bool {
	if c := bytes.Compare(h[a].r.key, h[b].r.key); c != 0 {
		return c < 0
	}
	return h[a].order < h[b].order
}
func (h runHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *runHeap) Push(x any)   { *h = append(*h, x.(mergeRun)) }
func (h *runHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
