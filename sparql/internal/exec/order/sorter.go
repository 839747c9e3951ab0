package order

import (
	"bytes"
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// sorter sorts rows by keys of bytes; equal rows stay in their order. If only the
// first few are wanted, the others are thrown away in between. Refused memory, it
// writes sorted runs to files and merges them at the end.
type sorter struct {
	run    *run.Run
	hold   mem.Holding
	limit  int64 // rows that are wanted; below zero: all
	rows   *rowset.Relation
	text   []byte // the keys of the rows, one after the other
	ends   []int  // of the keys; not there if width is set
	width  int    // bytes of each key; 0: they differ
	order  []sortEntry
	sorted []int32
	at     int
	bound  []byte // a row with this key or a later one is not wanted; nil: any may be
	busy   bool   // keys are being added, or rows sorted
	alone  bool   // there is no memory: the rows of each batch go to a file by themselves
	ready  bool   // all rows are there, and are being read
	runs   []*mem.Reader
	merge  kmerge.Heap[mergeRun]
}

func newSorter(r *run.Run, op string, columns int, limit int64) *sorter {
	s := &sorter{run: r, hold: r.Holding(op), limit: limit, rows: rowset.NewRelation(make([]plan.Var, columns))}
	r.Budget.Register(s)
	return s
}

// begin asks for the memory of rows, and of text bytes of their keys. The
// caller adds these, each to text and then its end to ends, and then the rows by add.
func (s *sorter) begin(ctx context.Context, rows, text int) error {
	err := s.hold.To(ctx, s.bytes()+s.growth(rows, text))
	if err == nil && s.rows.N == 0 { // it may have gone to a file for that
		err = s.hold.To(ctx, s.bytes()+s.growth(rows, text))
	}
	if s.alone = mem.Refused(err) && s.rows.N == 0 && s.hold.Budget.MaySpill(1); err != nil && !s.alone {
		return err
	}
	s.enter(rows, text)
	return nil
}

// enter is begin where memory is not asked for.
func (s *sorter) enter(rows, text int) {
	s.text = rowset.Extend(s.text, text)
	if s.width == 0 {
		s.ends = rowset.Extend(s.ends, rows)
	}
	s.busy = true
}

func (s *sorter) endKey() {
	if s.width == 0 {
		s.ends = append(s.ends, len(s.text))
	}
}

// add adds the rows of the batch whose keys were added.
func (s *sorter) add(ctx context.Context, b *rowset.Batch) error {
	s.rows.Add(b)
	s.busy = false
	if s.alone {
		return s.Spill(ctx)
	}
	if s.limit >= 0 && int64(s.rows.N) > 2*s.limit+dataset.MaxBatch {
		return s.cut(ctx)
	}
	return nil
}

// bytes returns what is held: the rows, their keys, the places that they have in order,
// and, until they are sorted, what is sorted.
func (s *sorter) bytes() int64 {
	b := s.rows.Bytes() + int64(cap(s.text)) + int64(cap(s.ends))*8 + int64(max(cap(s.sorted), s.rows.N))*4
	if !s.ready {
		b += int64(max(cap(s.order), s.rows.N)) * entryBytes
	}
	return b
}

// growth returns the bytes that are made new for more rows, with text bytes of keys.
func (s *sorter) growth(rows, text int) int64 {
	b := s.rows.Growth(rows) + rowset.Growth(s.text, text, 1) + int64(rows)*(4+entryBytes)
	if s.width == 0 {
		b += rowset.Growth(s.ends, rows, 8)
	}
	return b
}

// Spillable implements [mem.Spiller].
func (s *sorter) Spillable() int64 {
	if s.busy || s.rows.N == 0 || s.ready && s.at == len(s.sorted) {
		return 0
	}
	return max(s.hold.Bytes, 1) // the first rows may not be counted yet
}

// Spill writes what is held as a run: what is left of it, when rows are being read.
func (s *sorter) Spill(ctx context.Context) error {
	if !s.ready {
		if err := s.sort(ctx); err != nil {
			return err
		}
	}
	f, err := s.hold.NewFile(mem.Block)
	if err != nil {
		return err
	}
	rows := s.sorted
	if s.ready {
		rows = rows[s.at:]
	}
	for n, row := range rows {
		if n%cancel.Every == cancel.Every-1 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err := f.Add(s.key(row), s.rows.Col, int(row)); err != nil {
			return err
		}
	}
	r, err := f.Finish(len(s.rows.Col))
	if err != nil {
		return err
	}
	s.runs = append(s.runs, r)
	s.clear()
	if s.ready {
		return s.openRuns()
	}
	return nil
}

func (s *sorter) key(row int32) []byte {
	if s.width > 0 {
		return s.text[int(row)*s.width:][:s.width]
	}
	from := 0
	if row > 0 {
		from = s.ends[row-1]
	}
	return s.text[from:s.ends[row]]
}

// cut throws all rows away but the first ones, and renumbers those. If there is not the
// memory to do so, they go to a file.
func (s *sorter) cut(ctx context.Context) error {
	s.busy = true
	err := s.sort(ctx)
	s.busy = false
	if err != nil {
		return err
	}
	n, text := len(s.sorted), 0
	for _, row := range s.sorted {
		text += len(s.key(row))
	}
	err = s.hold.To(ctx, s.bytes()+int64(n)*int64(8*len(s.rows.Col)+12)+int64(text))
	switch {
	case s.rows.N == 0: // they did
		return err
	case mem.Refused(err) && s.hold.Budget.MaySpill(1):
		return s.Spill(ctx)
	case err != nil:
		return err
	}
	rows := rowset.NewRelation(s.rows.Vars)
	for c, col := range s.rows.Col {
		rows.Col[c] = make([]id, n)
		for i, row := range s.sorted {
			rows.Col[c][i] = col[row]
		}
	}
	rows.N = n
	keys, ends := make([]byte, 0, text), []int(nil)
	for _, row := range s.sorted {
		keys = append(keys, s.key(row)...)
		if s.width == 0 {
			ends = append(ends, len(keys))
		}
	}
	s.rows, s.text, s.ends, s.sorted = rows, keys, ends, nil
	if int64(n) == s.limit && n > 0 {
		s.bound = slices.Clone(s.key(int32(n - 1)))
	}
	return s.hold.To(ctx, s.bytes())
}

// finish ends the adding: rows can be read then.
func (s *sorter) finish(ctx context.Context) error {
	if len(s.runs) > 0 && s.rows.N > 0 {
		if err := s.Spill(ctx); err != nil {
			return err
		}
	}
	if len(s.runs) > 0 {
		s.ready = true
		return s.openRuns()
	}
	s.busy = true
	err := s.sort(ctx)
	s.busy, s.ready = false, true
	if s.order = nil; err != nil {
		return err
	}
	return s.hold.To(ctx, s.bytes()) // which is less than before
}

// openRuns begins the merging of the runs.
func (s *sorter) openRuns() error {
	list := make([]mergeRun, 0, len(s.runs))
	for i, r := range s.runs {
		ok, err := r.Next()
		if err != nil {
			return err
		}
		if ok {
			list = append(list, mergeRun{r, i})
		}
	}
	s.merge = kmerge.New(list, func(a, b *mergeRun) bool {
		if c := bytes.Compare(a.r.Key, b.r.Key); c != 0 {
			return c < 0
		}
		return a.order < b.order
	})
	return nil
}

// next fills a batch with the next rows; it is empty at the end. keys, if not
// nil, is called with the key of each row.
func (s *sorter) next(out *rowset.Batch, key func(key []byte)) error {
	out.N = 0
	for c := range out.Col {
		out.Col[c] = out.Col[c][:0]
	}
	if len(s.runs) > 0 {
		return s.nextMerged(out, key)
	}
	n := min(len(s.sorted)-s.at, dataset.MaxBatch)
	if n <= 0 {
		s.clear()
		return nil
	}
	for _, row := range s.sorted[s.at : s.at+n] {
		for c, src := range s.rows.Col {
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
func (s *sorter) nextMerged(out *rowset.Batch, key func(key []byte)) error {
	for out.N < dataset.MaxBatch && s.merge.Len() > 0 && (s.limit < 0 || int64(s.at) < s.limit) {
		r := s.merge.At(0).r
		for c := range out.Col {
			out.Col[c] = append(out.Col[c], r.Row[c])
		}
		if key != nil {
			key(r.Key)
		}
		out.N++
		s.at++
		ok, err := r.Next()
		if err != nil {
			return err
		}
		if ok {
			s.merge.Fix(0)
		} else {
			s.merge.Drop(0)
		}
	}
	return nil
}

// close frees memory and files.
func (s *sorter) close() {
	s.hold.Budget.Unregister(s)
	for _, r := range s.runs {
		_ = r.Close() // read-only by now, and gone either way
	}
	s.runs, s.merge = nil, kmerge.Heap[mergeRun]{}
	s.clear()
}

// clear drops the rows in memory.
func (s *sorter) clear() {
	s.rows, s.text, s.ends, s.sorted, s.order = rowset.NewRelation(s.rows.Vars), nil, nil, nil, nil
	s.hold.Free()
}

// mergeRun is a run at its next row; runs are in the order of their rows.
type mergeRun struct {
	r     *mem.Reader
	order int
}
