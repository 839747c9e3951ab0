package agg

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// What is known of groups is written to files as records among the rows of the input,
// which have no key. The columns of a record begin with those of the group's key.
const (
	stateRecord  byte = 's' // the counts and states of all aggregates
	seenRecord   byte = 'd' // the number of an aggregate; a row that it has seen
	countsRecord byte = 't' // the number of counted values; an id, and how often it stands in the group
)

// recordColumns is the most columns that a record has.
func (o *groupOp) recordColumns() int {
	most := 1 // of counted values
	for _, a := range o.aggs {
		if a.seen != nil {
			most = max(most, len(a.seen.Rows.Col)-1)
		}
	}
	return len(o.node.Keys) + most
}

// recordWriter makes records.
type recordWriter struct {
	o     *groupOp
	key   []byte
	state []byte
	cols  [][]id // of one row
	rows  int
}

func (o *groupOp) newRecordWriter(columns int) *recordWriter {
	w := &recordWriter{o: o, cols: make([][]id, columns)}
	for c := range w.cols {
		w.cols[c] = make([]id, 1)
	}
	return w
}

// group sets the columns to those of a group, and the others to 0. Sometimes it checks the
// context.
func (w *recordWriter) group(ctx context.Context, g int) error {
	for c := range w.cols {
		w.cols[c][0] = 0
		if c < len(w.o.node.Keys) {
			w.cols[c][0] = w.o.groups.Rows.Col[c][g]
		}
	}
	if w.rows++; w.rows%cancel.Every == 0 {
		return ctx.Err()
	}
	return nil
}

// keys returns the columns of the group's key.
func (w *recordWriter) keys() [][]id { return w.cols[:len(w.o.node.Keys)] }

// stateOf makes the record of the states of a group.
func (w *recordWriter) stateOf(ctx context.Context, g int) error {
	w.key = append(w.key[:0], stateRecord)
	for _, a := range w.o.aggs {
		if a.ids {
			w.key = binary.AppendVarint(w.key, a.counts[g])
			continue
		}
		w.state = a.states[g].AppendState(w.state[:0])
		w.key = binary.AppendUvarint(w.key, uint64(len(w.state)))
		w.key = append(w.key, w.state...)
	}
	return w.group(ctx, g)
}

// mayGive reports whether the groups can go to files while they are made.
func (o *groupOp) mayGive() bool {
	for _, a := range o.aggs {
		if a.spilled != nil { // has their numbers
			return false
		}
	}
	return o.maySpill() && o.groups.Rows.N > 0
}

// spillGroups writes all that is known of the groups to the files of the level. Their rows that
// are still to come follow.
func (o *groupOp) spillGroups(ctx context.Context) error {
	if !o.disk.open() {
		if err := o.openParts(); err != nil {
			return err
		}
	}
	w := o.newRecordWriter(o.disk.columns)
	put := func() error { return o.disk.files.Add(w.key, w.keys(), w.cols, 0) }
	for g := range o.groups.Rows.N {
		if err := w.stateOf(ctx, g); err != nil {
			return err
		}
		if err := put(); err != nil {
			return err
		}
	}
	for n, a := range o.aggs {
		if a.seen == nil {
			continue
		}
		w.key = binary.AppendUvarint(append(w.key[:0], seenRecord), uint64(n))
		for row, g := range a.seen.Rows.Col[0] {
			if err := w.group(ctx, int(g-1)); err != nil {
				return err
			}
			for c, col := range a.seen.Rows.Col[1:] {
				w.cols[len(o.node.Keys)+c][0] = col[row]
			}
			if err := put(); err != nil {
				return err
			}
		}
	}
	for n, t := range o.valueCounts {
		for row := t.from; row < t.seen.Rows.N; row++ {
			w.key = binary.AppendUvarint(append(w.key[:0], countsRecord), uint64(n))
			w.key = binary.AppendVarint(w.key, t.counts[row])
			if err := w.group(ctx, int(t.seen.Rows.Col[0][row]-1)); err != nil {
				return err
			}
			w.cols[len(o.node.Keys)][0] = t.seen.Rows.Col[1][row]
			if err := put(); err != nil {
				return err
			}
		}
	}
	o.reset()
	return nil
}

// groupRows delivers the rows of a part, and takes the records in.
type groupRows struct {
	o    *groupOp
	r    *mem.Reader
	out  rowset.Batch
	cols [][]id // of the record at hand
}

func (p *groupRows) Next(ctx context.Context) (*rowset.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.o.busy = true // it takes records
	columns := len(p.o.node.Input.Base().Vars)
	p.out.N = 0
	p.out.Col = slices.Grow(p.out.Col[:0], columns)[:columns]
	for c := range columns {
		p.out.Col[c] = p.out.Col[c][:0]
	}
	for read := 1; p.out.N < dataset.MaxBatch; read++ {
		ok, err := p.r.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if len(p.r.Key) > 0 {
			if err := p.record(ctx); err != nil {
				return nil, err
			}
			if read%cancel.Every == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}
		for c := range columns {
			p.out.Col[c] = append(p.out.Col[c], p.r.Row[c])
		}
		p.out.N++
	}
	if p.out.N == 0 {
		return nil, nil
	}
	return &p.out, nil
}

func (p *groupRows) Close() { _ = p.r.Close() }

// record takes the record at hand in, or spills it with the group that it is of.
func (p *groupRows) record(ctx context.Context) error {
	o := p.o
	if p.cols == nil {
		p.cols = make([][]id, len(p.r.Row))
	}
	for c := range p.cols {
		p.cols[c] = append(p.cols[c][:0], p.r.Row[c])
	}
	keys := p.cols[:len(o.node.Keys)]
	for {
		if o.disk.open() && !o.groups.Has(keys, 0) {
			return o.disk.files.Add(p.r.Key, keys, p.cols, 0)
		}
		need := o.bytes() + o.reserve() + o.recordRoom(p.r.Key)
		if need <= o.hold.Bytes || o.hold.Try(need+mem.DrawStep) {
			break
		}
		err := o.hold.To(ctx, need)
		if err == nil {
			break
		}
		if err := o.makeRoom(ctx, err); err != nil {
			return err
		}
	}
	return o.takeRecord(ctx, p.r, keys, p.cols[len(keys):])
}

// recordRoom returns how much more the groups may hold with a record.
func (o *groupOp) recordRoom(key []byte) int64 {
	n := o.growth(1)
	switch i, _ := binary.Uvarint(key[1:]); {
	case key[0] == stateRecord:
		n += 2*int64(len(key)) + int64(len(o.aggs))*512
	case key[0] == seenRecord && i < uint64(len(o.aggs)) && o.aggs[i].seen != nil:
		n += o.aggs[i].seen.Growth(1)
	case key[0] == countsRecord && i < uint64(len(o.valueCounts)):
		n += o.valueCounts[i].seen.Growth(1) + rowset.Growth(o.valueCounts[i].counts, 1, 8)
	}
	return n
}

// takeRecord takes a record in.
func (o *groupOp) takeRecord(ctx context.Context, r *mem.Reader, keys, rest [][]id) error {
	if err := o.groups.Reserve(ctx, 1); err != nil {
		return err
	}
	g, _ := o.groups.Add(keys, 0)
	if err := o.grow(ctx); err != nil {
		return err
	}
	if r.Key[0] == stateRecord {
		return o.takeState(r, g)
	}
	n, used := binary.Uvarint(r.Key[1:])
	key := r.Key[1+max(used, 0):]
	o.one[0] = id(g) + 1
	o.known = append(append(o.known[:0], o.one[:]), rest...)
	row := o.known
	switch {
	case used <= 0:
	case r.Key[0] == seenRecord && n < uint64(len(o.aggs)) && o.aggs[n].seen != nil:
		a := o.aggs[n]
		row = row[:len(a.seen.Rows.Col)]
		if a.spilled != nil {
			return a.spilled.Known(ctx, &rowset.Batch{N: 1, Col: row})
		}
		if err := a.seen.Reserve(ctx, 1); err != nil {
			return err
		}
		a.seen.Add(row, 0)
		return nil
	case r.Key[0] == countsRecord && n < uint64(len(o.valueCounts)):
		t := o.valueCounts[n]
		if err := t.reserve(ctx, 1); err != nil {
			return err
		}
		if count, used := binary.Varint(key); used > 0 {
			t.count(row[0][0], row[1][0], count)
			return nil
		}
	}
	return r.Bad("a record of a group that cannot be read")
}

// takeState takes the states of a group in.
func (o *groupOp) takeState(r *mem.Reader, g int) error {
	key := r.Key[1:]
	for _, a := range o.aggs {
		if a.ids {
			n, used := binary.Varint(key)
			if used <= 0 {
				return r.Bad("a count that cannot be read")
			}
			a.counts[g], key = n, key[used:]
			continue
		}
		n, used := binary.Uvarint(key)
		if used <= 0 || n > uint64(len(key)-used) {
			return r.Bad("a state that does not end")
		}
		s := a.states[g]
		held := s.Bytes()
		if !s.ReadState(key[used : used+int(n)]) {
			return r.Bad("a state that cannot be read")
		}
		a.bytes += int64(s.Bytes() - held)
		key = key[used+int(n):]
	}
	return nil
}
