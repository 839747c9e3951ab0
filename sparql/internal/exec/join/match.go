package join

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// matcher knows the places of the columns of a join.
type matcher struct {
	storedKey, probeKey     []int
	storedLoose, probeLoose []int
	overlap                 bool
	plain                   bool // the keys are all there is to compare
	outs                    []outCol
	keys                    [][]id // scratch
}

// outCol says where a column of the output comes from; -1 is nowhere.
type outCol struct {
	stored, probe int
	left          int // in the left side, stored or not
	both          bool
}

func newMatcher(n *plan.Join) matcher {
	l, r := n.Left.Base().Vars, n.Right.Base().Vars
	stored, probe := r, l
	if n.Apply {
		stored, probe = l, r
	}
	m := matcher{overlap: n.Overlap, plain: len(n.Loose) == 0 && !n.Overlap, outs: make([]outCol, len(n.Vars))}
	if len(n.Vars) > rowset.Wide {
		m.storedKey, m.probeKey = rowset.Place(n.Keys, stored), rowset.Place(n.Keys, probe)
		m.storedLoose, m.probeLoose = rowset.Place(n.Loose, stored), rowset.Place(n.Loose, probe)
		inStored, inProbe, inLeft, inLoose := rowset.Place(n.Vars, stored), rowset.Place(n.Vars, probe), rowset.Place(n.Vars, l), rowset.Place(n.Vars, n.Loose)
		for i := range n.Vars {
			m.outs[i] = outCol{stored: inStored[i], probe: inProbe[i], left: inLeft[i], both: inLoose[i] >= 0}
		}
		return m
	}
	room := make([]int, 0, 2*(len(n.Keys)+len(n.Loose)))
	places := func(vars, from []plan.Var) []int {
		first := len(room)
		for _, v := range vars {
			room = append(room, slices.Index(from, v))
		}
		return room[first:len(room):len(room)]
	}
	m.storedKey, m.probeKey = places(n.Keys, stored), places(n.Keys, probe)
	m.storedLoose, m.probeLoose = places(n.Loose, stored), places(n.Loose, probe)
	for i, v := range n.Vars {
		m.outs[i] = outCol{stored: slices.Index(stored, v), probe: slices.Index(probe, v), left: slices.Index(l, v), both: slices.Contains(n.Loose, v)}
	}
	return m
}

func (m *matcher) storedKeys(r *rowset.Relation) [][]id {
	keys := make([][]id, len(m.storedKey))
	for i, c := range m.storedKey {
		keys[i] = r.Col[c]
	}
	return keys
}

func (m *matcher) probeKeys(b *rowset.Batch) [][]id {
	m.keys = m.keys[:0]
	for _, c := range m.probeKey {
		m.keys = append(m.keys, b.Col[c])
	}
	return m.keys
}

// compatible reports whether the columns that may be unbound agree.
func (m *matcher) compatible(r *rowset.Relation, b *rowset.Batch, at, row int) bool {
	shared := !m.overlap
	for i, c := range m.storedLoose {
		x, y := r.Col[c][at], b.Col[m.probeLoose[i]][row]
		if x == 0 || y == 0 {
			continue
		}
		if x != y {
			return false
		}
		shared = true
	}
	return shared
}

// gather fills a column of the output from pairs of rows.
func (c outCol) gather(dst []id, r *rowset.Relation, b *rowset.Batch, si, pi []int32) []id {
	dst = rowset.Sized(dst, len(si))
	switch {
	case c.both:
		s, p := r.Col[c.stored], b.Col[c.probe]
		for k, i := range si {
			v := s[i]
			if v == 0 {
				v = p[pi[k]]
			}
			dst[k] = v
		}
	case c.stored >= 0:
		s := r.Col[c.stored]
		for k, i := range si {
			dst[k] = s[i]
		}
	case c.probe >= 0:
		p := b.Col[c.probe]
		for k, i := range pi {
			dst[k] = p[i]
		}
	default:
		clear(dst)
	}
	return dst
}

// condition filters the matches of a join by a plan of its own.
type condition struct {
	run  *run.Run
	node *plan.Join
	rel  *rowset.Relation
	cols []outCol // of the input, but for the last, the row
	outs []int    // places of the output's columns in the condition's output
	row  int      // place of the row column there
}

func newCondition(r *run.Run, n *plan.Join) *condition {
	vars := append([]plan.Var(nil), n.Left.Base().Vars...)
	seen := plan.SetOf(vars...)
	for _, v := range n.Right.Base().Vars {
		if !seen.Has(v) {
			vars = append(vars, v)
		}
	}
	c := &condition{run: r, node: n, rel: rowset.NewRelation(append(vars, n.RowVar))}
	shape := *n
	shape.Vars = vars
	m := newMatcher(&shape)
	c.cols = m.outs
	c.outs = rowset.Place(n.Vars, n.Cond.Base().Vars)
	c.row = rowset.Place([]plan.Var{n.RowVar}, n.Cond.Base().Vars)[0]
	return c
}

// emit hands on those of the collected pairs that the condition keeps.
func (c *condition) emit(ctx context.Context, o *joinOp) (*rowset.Batch, error) {
	c.rel.Reset()
	c.rel.N = len(o.si)
	for i, col := range c.cols {
		c.rel.Col[i] = col.gather(c.rel.Col[i], o.stored, o.probe, o.si, o.pi)
	}
	rows := o.pi
	if c.node.Apply {
		rows = o.si
	}
	last := len(c.cols)
	for _, r := range rows {
		c.rel.Col[last] = append(c.rel.Col[last], id(r)+1)
	}
	c.run.SetInput(c.node.CondInput, c.rel)
	op, err := c.run.Open(c.node.Cond)
	if err != nil {
		return nil, err
	}
	defer op.Close()
	o.out.N = 0
	for i := range o.out.Col {
		o.out.Col[i] = o.out.Col[i][:0]
	}
	for {
		b, err := op.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		for _, r := range b.Col[c.row][:b.N] {
			o.found(int(r) - 1)
		}
		if o.existence() {
			continue
		}
		for i, at := range c.outs {
			if at >= 0 {
				o.out.Col[i] = append(o.out.Col[i], b.Col[at][:b.N]...)
			} else {
				o.out.Col[i] = append(o.out.Col[i], rowset.Zeros[:b.N]...)
			}
		}
		o.out.N += b.N
	}
	if o.out.N == 0 {
		return nil, nil
	}
	return &o.out, nil
}
