package count

import (
	"context"
	"slices"
	"strconv"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/eval"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

type id = dataset.ID

// countOp makes rows of what a source counts.
type countOp struct {
	run  *run.Run
	node *plan.Count
	hold mem.Holding
	from source // nil before the first rows
	got  groups
}

// groups are keys with their numbers of rows, and of distinct ids if these are counted. The one
// group of a count without a key has the key 0.
type groups struct {
	keys        []id
	n, distinct []uint64
}

func (g *groups) add(key id, n, distinct uint64) {
	g.keys, g.n, g.distinct = append(g.keys, key), append(g.n, n), append(g.distinct, distinct)
}

// full reports whether the groups fill a batch.
func (g *groups) full() bool { return len(g.keys) >= dataset.MaxBatch }

// source counts.
type source interface {
	// next adds groups until they are full; none at the end.
	next(ctx context.Context, to *groups) error
	close()
}

// New returns the operator of a count.
func New(r *run.Run, n *plan.Count) rowset.Op {
	return &countOp{run: r, node: n, hold: r.Holding("count")}
}

// begin chooses how the rows are counted.
func (o *countOp) begin(ctx context.Context) (source, error) {
	s := o.node.One()
	if s == nil {
		return o.join(ctx)
	}
	if o.node.Key {
		return o.byKey(ctx, s)
	}
	p := s.Pattern
	p.G = o.run.GraphsOf(s.Graph)
	n, err := o.run.Terms.Dataset().Count(ctx, p)
	return &weights{ids: []id{0}, n: []uint64{n}}, err
}

func (o *countOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if o.from == nil {
		from, err := o.begin(ctx)
		if err != nil {
			return nil, err
		}
		o.from = from
	}
	g := &o.got
	g.keys, g.n, g.distinct = g.keys[:0], g.n[:0], g.distinct[:0]
	if err := o.from.next(ctx, g); err != nil || len(g.keys) == 0 {
		return nil, err
	}
	b := &rowset.Batch{N: len(g.keys)}
	if o.node.Key {
		b.Col = append(b.Col, slices.Clone(g.keys))
	}
	var counts [2][]id // of rows, and of distinct ids
	for _, out := range o.node.Outs {
		of, list := &counts[0], g.n
		if out.Distinct {
			of, list = &counts[1], g.distinct
		}
		if *of == nil {
			texts := make([]string, len(list))
			for i, n := range list {
				texts[i] = eval.Integer(strconv.FormatUint(n, 10))
			}
			*of = make([]id, len(list))
			if err := o.run.Terms.Intern(ctx, texts, *of); err != nil {
				return nil, err
			}
		}
		b.Col = append(b.Col, slices.Clone(*of))
	}
	return b, nil
}

func (o *countOp) Close() {
	if o.from != nil {
		o.from.close()
	}
	o.hold.Free()
}
