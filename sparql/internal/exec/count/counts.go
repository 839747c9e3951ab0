package count

import (
	"context"
	"errors"
	"strconv"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// countsOp counts the rows of a pattern by a variable that leads the order of its scan.
type countsOp struct {
	run  *run.Run
	node *plan.Counts
	hold mem.Holding

	begun bool
	keys  []id      // that are counted one by one, and what is left of them
	rows  rowset.Op // nil: each key is counted by itself
	b     *rowset.Batch
	at    int

	// The group at hand.
	key      id
	last     id // of the variable whose distinct ids are counted
	n        uint64
	distinct uint64

	out   rowset.Batch
	texts [2][]string // of the counts of rows, and of distinct ids
}

func NewCounts(r *run.Run, n *plan.Counts) *countsOp {
	return &countsOp{run: r, node: n, hold: r.Holding("count")}
}

// begin decides how the groups are counted.
func (o *countsOp) begin(ctx context.Context) error {
	o.begun = true
	if o.node.Keys != nil {
		few, err := o.collect(ctx)
		if few || err != nil {
			return err
		}
		o.keys = nil
		o.hold.Free()
	}
	var err error
	o.rows, err = o.run.Open(o.node.Rows)
	return err
}

// collect reads the keys; false if there are so many that it is better to read all rows.
func (o *countsOp) collect(ctx context.Context) (bool, error) {
	most := int(o.node.Rows.All / plan.CostCounted)
	op, err := o.run.Open(o.node.Keys)
	if err != nil {
		return false, err
	}
	defer op.Close()
	for {
		b, err := op.Next(ctx)
		if b == nil || err != nil {
			return true, err
		}
		for _, k := range b.Col[0][:b.N] {
			if n := len(o.keys); n == 0 || o.keys[n-1] != k {
				o.keys = append(o.keys, k)
			}
		}
		if len(o.keys) > most {
			return false, nil
		}
		err = o.hold.To(int64(cap(o.keys)) * 8)
		if refused := (*mem.Error)(nil); errors.As(err, &refused) {
			return false, nil // reading the rows keeps nothing
		}
		if err != nil {
			return false, err
		}
	}
}

func (o *countsOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.begun {
		if err := o.begin(ctx); err != nil {
			return nil, err
		}
	}
	o.out.Col = append(o.out.Col[:0], nil)
	o.texts[0], o.texts[1] = o.texts[0][:0], o.texts[1][:0]
	var err error
	if o.rows != nil {
		err = o.readRows(ctx)
	} else {
		err = o.countKeys(ctx)
	}
	keys := o.out.Col[0]
	if o.out.N = len(keys); err != nil || o.out.N == 0 {
		return nil, err
	}
	var counts [2][]id
	for i, texts := range o.texts {
		if i == 1 && o.node.Distinct == plan.NoVar {
			break
		}
		counts[i] = make([]id, len(texts))
		if err := o.run.Terms.Intern(ctx, texts, counts[i]); err != nil {
			return nil, err
		}
	}
	for _, out := range o.node.Outs {
		list := counts[0]
		if out.Distinct {
			list = counts[1]
		}
		o.out.Col = append(o.out.Col, append([]id(nil), list...))
	}
	return &o.out, nil
}

// countKeys counts the rows of the next keys.
func (o *countsOp) countKeys(ctx context.Context) error {
	p := o.node.Rows.Pattern
	p.G = o.run.GraphsOf(o.node.Rows.Graph)
	place := map[dataset.Col]*id{dataset.S: &p.S, dataset.P: &p.P, dataset.O: &p.O}[column(o.node.Rows, o.node.Key)]
	for len(o.keys) > 0 && len(o.out.Col[0]) < dataset.MaxBatch {
		*place = o.keys[0]
		n, err := o.run.Terms.Dataset().Count(ctx, p)
		if err != nil {
			return err
		}
		if n > 0 {
			o.add(o.keys[0], n, 0)
		}
		o.keys = o.keys[1:]
	}
	return nil
}

// readRows reads rows until there are some groups.
func (o *countsOp) readRows(ctx context.Context) error {
	for len(o.out.Col[0]) < dataset.MaxBatch {
		if o.b == nil {
			var err error
			if o.b, err = o.rows.Next(ctx); err != nil {
				return err
			}
			if o.at = 0; o.b == nil {
				if o.n > 0 {
					o.add(o.key, o.n, o.distinct)
				}
				o.n = 0
				return nil
			}
		}
		o.readBatch()
	}
	return nil
}

// readBatch takes the rest of the batch, or as much as there is room for groups.
func (o *countsOp) readBatch() {
	keys := o.b.Col[0][o.at:o.b.N]
	var vals []id
	if o.node.Distinct != plan.NoVar {
		if vals = o.b.Col[1][o.at:o.b.N]; o.node.Rows.Vars[0] != o.node.Key {
			keys, vals = vals, keys
		}
	}
	for i := 0; i < len(keys); {
		if keys[i] != o.key || o.n == 0 {
			if o.n > 0 {
				if o.add(o.key, o.n, o.distinct); len(o.out.Col[0]) == dataset.MaxBatch {
					o.n = 0
					o.at += i
					return
				}
			}
			o.key, o.n, o.distinct, o.last = keys[i], 0, 0, 0
		}
		from := i
		for i < len(keys) && keys[i] == o.key {
			i++
		}
		o.n += uint64(i - from)
		if vals == nil {
			continue
		}
		for _, v := range vals[from:i] {
			if v != o.last {
				o.distinct++
				o.last = v
			}
		}
	}
	o.b = nil
}

// add adds a group.
func (o *countsOp) add(key id, rows, distinct uint64) {
	o.out.Col[0] = append(o.out.Col[0], key)
	o.texts[0] = append(o.texts[0], eval.Integer(strconv.FormatUint(rows, 10)))
	if o.node.Distinct != plan.NoVar {
		o.texts[1] = append(o.texts[1], eval.Integer(strconv.FormatUint(distinct, 10)))
	}
}

func (o *countsOp) Close() {
	if o.rows != nil {
		o.rows.Close()
	}
	o.keys = nil
	o.hold.Free()
}
