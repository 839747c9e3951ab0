package count

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// byKey counts the rows of one pattern by its graph, or by the variable that leads the order of its
// scan: few keys one by one, without reading their rows, else by reading all rows.
func (o *countOp) byKey(ctx context.Context, s *plan.Scan) (source, error) {
	switch {
	case o.node.Distinct != plan.NoVar:
	case o.node.Root.Var == s.Graph.Var:
		if all, err := o.byGraph(ctx, s); all != nil || err != nil {
			return all, err
		}
	default:
		keys, few, err := o.keys(ctx, s)
		if err != nil {
			return nil, err
		}
		if few {
			return &keySource{op: o, scan: s, keys: keys}, nil
		}
		o.hold.Free()
	}
	rows, err := o.run.Open(s)
	return &rowSource{node: o.node, rows: rows, key: s.Vars[0]}, err
}

// byGraph asks for the rows of each graph; nil if the dataset does not tell, or there is no memory
// for the answer.
func (o *countOp) byGraph(ctx context.Context, s *plan.Scan) (source, error) {
	l, ok := o.run.Terms.Dataset().(dataset.GraphLister)
	if !ok {
		return nil, nil
	}
	p := s.Pattern
	p.G = o.run.GraphsOf(s.Graph)
	w := &weights{}
	var err error
	w.ids, w.n, err = l.GraphCounts(ctx, p, func(bytes int64) error { return o.hold.To(ctx, bytes) })
	if err == nil {
		err = o.hold.To(ctx, w.bytes())
	}
	if mem.Refused(err) {
		o.hold.Free()
		return nil, nil // reading the rows keeps nothing
	}
	return w, err
}

// keys reads the keys of a scan; false if there are too many, so that it is better to read all rows.
func (o *countOp) keys(ctx context.Context, s *plan.Scan) (keys []id, few bool, err error) {
	skip := *s
	skip.Skip = true
	op, err := o.run.Open(&skip)
	if err != nil {
		return nil, false, err
	}
	defer op.Close()
	for most := int(s.All / plan.CostCounted); len(keys) <= most; {
		b, err := op.Next(ctx)
		if b == nil || err != nil {
			return keys, true, err
		}
		for _, k := range b.Col[0][:b.N] {
			if n := len(keys); n == 0 || keys[n-1] != k {
				keys = append(keys, k)
			}
		}
		err = o.hold.To(ctx, int64(cap(keys))*8)
		if mem.Refused(err) {
			break // reading the rows keeps nothing
		}
		if err != nil {
			return nil, false, err
		}
	}
	return nil, false, nil
}

// keySource counts the rows of keys.
type keySource struct {
	op   *countOp
	scan *plan.Scan
	keys []id // those that are left
}

func (k *keySource) next(ctx context.Context, to *groups) error {
	p := k.scan.Pattern
	p.G = k.op.run.GraphsOf(k.scan.Graph)
	place := map[dataset.Col]*id{dataset.S: &p.S, dataset.P: &p.P, dataset.O: &p.O}[k.scan.Column(k.op.node.Root.Var)]
	for ; len(k.keys) > 0 && !to.full(); k.keys = k.keys[1:] {
		*place = k.keys[0]
		n, err := k.op.run.Terms.Dataset().Count(ctx, p)
		if err != nil {
			return err
		}
		if n > 0 {
			to.add(k.keys[0], n, 0)
		}
	}
	return nil
}

func (k *keySource) close() {}

// rowSource counts rows that come sorted by the key, and the distinct ids after it.
type rowSource struct {
	node *plan.Count
	rows rowset.Op
	key  plan.Var // of the first column
	b    *rowset.Batch
	at   int

	// The group at hand.
	group, last id
	n, distinct uint64
}

func (r *rowSource) next(ctx context.Context, to *groups) error {
	for !to.full() {
		if r.b == nil {
			var err error
			if r.b, err = r.rows.Next(ctx); err != nil {
				return err
			}
			if r.at = 0; r.b == nil {
				r.end(to)
				return nil
			}
		}
		r.take(to)
	}
	return nil
}

// end adds the group at hand.
func (r *rowSource) end(to *groups) {
	if r.n > 0 {
		to.add(r.group, r.n, r.distinct)
	}
	r.n, r.distinct, r.last = 0, 0, 0
}

// take takes the rest of the batch, or as much as there is room for groups.
func (r *rowSource) take(to *groups) {
	keys := r.b.Col[0][r.at:r.b.N]
	var vals []id
	if r.node.Distinct != plan.NoVar {
		if vals = r.b.Col[1][r.at:r.b.N]; r.key != r.node.Root.Var {
			keys, vals = vals, keys
		}
	}
	for i := 0; i < len(keys); {
		if keys[i] != r.group || r.n == 0 {
			if r.end(to); to.full() {
				r.at += i
				return
			}
			r.group = keys[i]
		}
		from := i
		for i < len(keys) && keys[i] == r.group {
			i++
		}
		r.n += uint64(i - from)
		if vals == nil {
			continue
		}
		for _, v := range vals[from:i] {
			if v != r.last {
				r.distinct++
				r.last = v
			}
		}
	}
	r.b = nil
}

func (r *rowSource) close() { r.rows.Close() }
