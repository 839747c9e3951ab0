package order

import (
	"context"
	"slices"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
)

// orderMerge is rows that several goroutines have sorted. The last column of each is
// the place of the row in the input, so that equal rows stay in their order.
type orderMerge struct {
	runs []*sorter
	rows run.Parts
	own  *mem.Budget
	left int64 // rows that are still wanted; below zero: all

	hold mem.Holding // of nothing: makes the file
	file *mem.Reader // of what was still to be handed on; nil: it is in memory
}

// Spillable implements [mem.Spiller].
func (m *orderMerge) Spillable() int64 {
	n := int64(0)
	for _, s := range m.runs {
		n += s.hold.Bytes
	}
	if m.file != nil {
		return 0
	}
	return n
}

// Spill writes what is still to be handed on to a file.
func (m *orderMerge) Spill(ctx context.Context) error {
	f, err := m.hold.NewFile(mem.Block)
	if err != nil {
		return err
	}
	columns := len(m.runs[0].rows.Col) - 1
	out := rowset.Batch{Col: make([][]id, columns)}
	for {
		m.merge(&out)
		for row := range out.N {
			if err := f.Add(nil, out.Col, row); err != nil {
				return err // the file is closed with the query
			}
		}
		if out.N == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if m.file, err = f.Finish(columns); err != nil {
		return err
	}
	m.free()
	return nil
}

// partPlace is the place of the first row of a part. A part has fewer rows than that.
const partPlace = 1 << 48

// loadParts sorts the rows of a pipeline on several goroutines. It returns false, with
// nothing changed, if one goroutine has to do it: also when memory was refused, since
// several do not spill.
func (o *orderOp) loadParts(ctx context.Context) (bool, error) {
	in, ok := run.Untraced(o.input).(run.Split)
	if !ok {
		return false, nil
	}
	split, err := in.Begin(ctx)
	if split == nil || err != nil {
		return false, err
	}
	own := *o.run
	own.Budget = o.run.Budget.Fork(nil)
	m := &orderMerge{rows: split, own: own.Budget, left: o.node.Limit, hold: o.sorter.hold}
	var mu sync.Mutex
	var rows int64
	err = split.Each(ctx, &own, func(ctx context.Context, r *run.Run, input run.Part) error {
		part := &orderOp{
			run: r, node: o.node, input: input, sorter: newSorter(r, "order", len(o.node.Vars)+1, o.node.Limit), part: input,
			step: dataset.MaxBatch, texts: r.Holding("order"),
		}
		mu.Lock()
		m.runs = append(m.runs, part.sorter)
		mu.Unlock()
		err := part.load(ctx)
		part.texts.Free()
		mu.Lock()
		rows += input.Rows()
		mu.Unlock()
		return err
	})
	run.Delivered(o.input, rows)
	if err == nil {
		o.merge = m
		o.run.Budget.Register(m)
		return true, nil
	}
	m.close()
	if mem.Refused(err) {
		return false, in.Restart()
	}
	return false, err
}

// numbered adds the places of the rows to a batch.
func (o *orderOp) numbered(b *rowset.Batch) *rowset.Batch {
	o.place = max(o.place, id(o.part.Number())*partPlace)
	places := make([]id, b.N)
	for i := range places {
		places[i] = o.place
		o.place++
	}
	return &rowset.Batch{N: b.N, Col: append(slices.Clone(b.Col), places)}
}

// next merges the next rows into a batch; nil at the end.
func (m *orderMerge) next(out *rowset.Batch) (*rowset.Batch, error) {
	if m.file == nil {
		m.merge(out)
	} else if err := out.Fill(m.file); err != nil {
		return nil, err
	}
	if out.N == 0 {
		return nil, nil
	}
	return out, nil
}

// merge puts the next rows into a batch.
func (m *orderMerge) merge(out *rowset.Batch) {
	out.N = 0
	for c := range out.Col {
		out.Col[c] = out.Col[c][:0]
	}
	for out.N < dataset.MaxBatch && m.left != 0 {
		var best *sorter
		for _, s := range m.runs {
			if s.at < len(s.sorted) && (best == nil || s.before(best)) {
				best = s
			}
		}
		if best == nil {
			break
		}
		row := best.sorted[best.at]
		best.at++
		for c := range out.Col {
			out.Col[c] = append(out.Col[c], best.rows.Col[c][row])
		}
		out.N++
		m.left--
	}
}

func (m *orderMerge) close() {
	m.hold.Budget.Unregister(m)
	if m.file != nil {
		_ = m.file.Close() // read-only by now, and gone either way
	}
	m.free()
}

// free lets go of what the goroutines hold.
func (m *orderMerge) free() {
	for _, s := range m.runs {
		s.close()
	}
	m.runs = nil
	m.rows.Free()
	_ = m.own.Close() // a fork has no files
}
