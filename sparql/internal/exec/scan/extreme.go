package scan

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// extremeOp reads the rows of a pattern whose objects come first in the order of
// values, or those of a plan whose rows all come from such a pattern. The class of values is that of the first rows. What is in no place of its
// line is delivered whole; then the line is walked, from the ends that are asked
// for, by scans of growing stretches, until there are enough rows.
type extremeOp struct {
	run    *run.Run
	node   *plan.Scan // the pattern
	want   plan.Extreme
	reads  uint64    // see [plan.Scan]
	of     float64   // expected rows of the pattern
	body   plan.Node // what is run for a stretch: the scan, or a plan over it
	index  dataset.ValueIndex
	class  valuekey.Class
	scan   rowset.Op
	state  extremeState
	seen   *dataset.IDSet // objects that were delivered, or are about to be
	walks  []valueScan
	begun  bool
	asked  uint64 // ids so far
	number []id
	terms  dataset.Terms
}

type extremeState uint8

const (
	outside extremeState = iota // rows whose objects are not of the class
	walking                     // stretches of the line
	rest                        // all other rows
	over
)

// valueScan is a walk along the line of a class.
type valueScan struct {
	down bool
	from valuekey.Key
	last valuekey.Key // of the stretch that is being read
	step uint64
	rows int64 // found so far
}

// firstStep is how many literals the first stretch of a walk has.
const firstStep = 512

// NewExtreme makes a scan that reads the rows first whose objects come first in the order of values.
func NewExtreme(r *run.Run, n *plan.Scan) rowset.Op {
	return &extremeOp{
		run: r, node: n, want: *n.Extreme, reads: n.Extreme.Reads, of: n.Rows, body: n, index: r.Terms.Dataset().(dataset.ValueIndex),
	}
}

// NewTopByValue is [NewExtreme] for a plan whose rows all come from such a scan.
func NewTopByValue(r *run.Run, n *plan.TopByValue) rowset.Op {
	return &extremeOp{
		run: r, node: n.Leaf, want: n.Extreme, reads: n.Reads, of: n.Of, body: n.Input, index: r.Terms.Dataset().(dataset.ValueIndex),
	}
}

// scanOf begins a scan of the objects in a set, nil for all, that are not in
// another one.
func (o *extremeOp) scanOf(only, but *dataset.IDSet) (err error) {
	if o.body == plan.Node(o.node) {
		scan := newScan(o.run, o.node)
		scan.only, scan.but = only, but
		o.scan = scan
		return nil
	}
	if o.run.Walks == nil {
		o.run.Walks = make(map[*plan.Scan]run.Stretch)
	}
	o.run.Walks[o.node] = run.Stretch{Only: only, But: but}
	o.scan, err = o.run.Open(o.body)
	return err
}

func (o *extremeOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.begun {
		o.begun = true
		if err := o.begin(ctx); err != nil {
			return nil, err
		}
	}
	for o.scan != nil {
		b, err := o.scan.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b != nil {
			if o.state == walking {
				err = o.count(ctx, b)
			}
			return b, err
		}
		o.scan.Close()
		o.scan = nil
		if err := o.advance(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// begin reads the first rows and chooses the class.
func (o *extremeOp) begin(ctx context.Context) error {
	c, ok, err := o.guess(ctx)
	if err != nil {
		return err
	}
	if !ok {
		o.state = rest
		return o.scanOf(nil, nil)
	}
	o.class, o.seen = c, new(dataset.IDSet)
	all, err := o.index.ValueIDs(ctx, dataset.Interval{Class: c, Lo: valuekey.NaN, Hi: valuekey.Max}, o.reads)
	if err != nil {
		return err
	}
	for _, down := range []bool{false, true} {
		if down && o.want.Down || !down && o.want.Up {
			w := valueScan{down: down, from: valuekey.NaN, step: firstStep}
			if down {
				w.from = valuekey.Max
			}
			o.walks = append(o.walks, w)
		}
	}
	return o.scanOf(nil, all)
}

// guess returns the class of most of the first rows, if there is one.
func (o *extremeOp) guess(ctx context.Context) (best valuekey.Class, ok bool, err error) {
	s := newScan(o.run, o.node)
	defer s.Close()
	b, err := s.Next(ctx)
	if err != nil || b == nil {
		return 0, false, err
	}
	col := b.Col[slices.Index(o.node.Vars, o.node.Cols[dataset.O])][:b.N]
	if err := o.decode(ctx, col); err != nil {
		return 0, false, err
	}
	var counts [valuekey.Classes]int
	for i := range o.number {
		if c, _, ok := valuekey.Of(o.terms.At(i)); ok {
			counts[c]++
		}
	}
	for c, n := range counts {
		if n > counts[best] {
			best = valuekey.Class(c)
		}
	}
	return best, 2*counts[best] > len(o.number), nil
}

// decode sets number to the distinct ids of a column and terms to their terms.
func (o *extremeOp) decode(ctx context.Context, col []id) error {
	o.number = append(o.number[:0], col...)
	slices.Sort(o.number)
	o.number = slices.Compact(o.number)
	o.terms.Reset()
	return o.run.Terms.Dataset().Decode(ctx, o.number, &o.terms)
}

// count counts the rows of a batch whose keys are in the stretch that is read.
func (o *extremeOp) count(ctx context.Context, b *rowset.Batch) error {
	w := &o.walks[0]
	lo, hi := min(w.from, w.last), max(w.from, w.last)
	col := b.Col[slices.Index(o.body.Base().Vars, o.node.Cols[dataset.O])][:b.N]
	if err := o.decode(ctx, col); err != nil {
		return err
	}
	in := make([]bool, len(o.number))
	for i := range in {
		c, k, ok := valuekey.Of(o.terms.At(i))
		in[i] = ok && c == o.class && lo <= k && k <= hi
	}
	for _, i := range col {
		if at, _ := slices.BinarySearch(o.number, i); in[at] {
			w.rows++
		}
	}
	return nil
}

// advance begins the next scan, if one is needed.
func (o *extremeOp) advance(ctx context.Context) error {
	switch o.state {
	case outside:
		o.state = walking
	case walking:
		w := &o.walks[0]
		end := valuekey.Max
		if w.down {
			end = valuekey.NaN
		}
		if w.rows >= o.want.Limit || w.last == end {
			o.walks = o.walks[1:]
		} else if w.from = w.last + 1; w.down {
			w.from = w.last - 1
		}
	case rest:
		o.state = over
		return nil
	}
	if len(o.walks) == 0 {
		o.state = over
		return nil
	}
	w := &o.walks[0]
	if float64(o.asked) > o.of/4 { // the pattern has few of the values
		return o.all(ctx)
	}
	var err error
	if w.last, err = o.index.ValueStep(ctx, o.class, w.from, w.step, o.reads, w.down); err != nil {
		return err
	}
	w.step *= 4
	set, err := o.index.ValueIDs(ctx, dataset.Interval{Class: o.class, Lo: min(w.from, w.last), Hi: max(w.from, w.last)}, o.reads)
	if err != nil {
		return err
	}
	set.Remove(o.seen)
	o.seen.Union(set)
	o.asked += set.Len()
	return o.scanOf(set, nil)
}

// all begins a scan of all rows of the class that were not delivered.
func (o *extremeOp) all(ctx context.Context) error {
	set, err := o.index.ValueIDs(ctx, dataset.Interval{Class: o.class, Lo: valuekey.NaN, Hi: valuekey.Max}, o.reads)
	if err != nil {
		return err
	}
	set.Remove(o.seen)
	o.state = rest
	return o.scanOf(set, nil)
}

func (o *extremeOp) Close() {
	if o.scan != nil {
		o.scan.Close()
	}
}

// pick drops the rows of a batch whose object is in a set.
func (o *scanOp) pick() {
	kept := 0
	for r := range o.out.N {
		if o.but.Contains(o.in.Col[dataset.O][r]) {
			continue
		}
		for _, c := range o.cols {
			o.in.Col[c][kept] = o.in.Col[c][r]
		}
		kept++
	}
	o.out.N = kept
}
