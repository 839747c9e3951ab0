package eval

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// Memo computes a pure expression of one variable once for each distinct id:
// its truth, or the id of its value.
type Memo struct {
	run   *run.Run
	c     *Compiler
	test  Truth  // or
	k     Kernel // the value
	known *rowset.IDMap
	fresh rowset.Batch // the ids of a batch that are not known
	step  int          // how many of them are computed at once
	hold  mem.Holding
	all   []id // the results of a column
	outs  []id
	texts []string
}

// MaxMemo is the number of results that are kept.
const MaxMemo = 1 << 16

// OnlyVar returns the one variable that a pure expression reads, if it reads
// one and does more than to name it.
func OnlyVar(e algebra.Expr) (plan.Var, bool) {
	if _, plain := e.(*algebra.VarExpr); plain {
		return 0, false
	}
	v, ok := plan.Var(algebra.NoVar), true
	var walk func(e algebra.Expr)
	walk = func(e algebra.Expr) {
		switch e := e.(type) {
		case *algebra.VarExpr:
			ok = ok && (v == algebra.NoVar || v == e.Var)
			v = e.Var
		case *algebra.Call:
			switch e.Func {
			case ast.Rand, ast.UUID, ast.StrUUID, ast.BNode:
				ok = false
			}
			for _, a := range e.Args {
				walk(a)
			}
		case *algebra.FunctionCall:
			// An extension may be anything.
			_, known := value.Lookup(e.IRI.Value())
			ok = ok && known
			for _, a := range e.Args {
				walk(a)
			}
		case *algebra.Exists:
			ok = false
		}
	}
	walk(e)
	return v, ok && v != algebra.NoVar
}

// NewMemo makes the memo of an expression of one variable.
func NewMemo(r *run.Run, e algebra.Expr, v plan.Var, truth bool) (*Memo, error) {
	m := &Memo{run: r, c: NewOnce(r, v), known: rowset.NewIDMap(), fresh: rowset.Batch{Col: make([][]id, 1)}, step: FirstTexts, hold: r.Holding(run.TextsOp)}
	var err error
	if truth {
		m.test, err = m.c.Truth(e)
	} else {
		m.k, err = m.c.Compile(e)
	}
	return m, err
}

// Results returns the results for the ids of a column, those that are not known being computed. They
// hold until the next call.
func (m *Memo) Results(ctx context.Context, col []id) ([]id, error) {
	if m.known.Len() > MaxMemo {
		m.known = rowset.NewIDMap()
	}
	at, fresh, err := m.known.AddAll(ctx, col)
	if err != nil {
		return nil, err
	}
	for rest := fresh; len(rest) > 0; {
		n := min(m.step, len(rest))
		if made := firstLocal(rest[:n]); made > 0 {
			n = made
		} else if made == 0 {
			n = min(n, madeAtOnce)
		}
		m.fresh.Col[0], m.fresh.N = rest[:n], n
		if err := m.compute(ctx, rest[:n]); err != nil {
			return nil, err
		}
		rest = rest[n:]
		switch text := TextOf(m.c.values); {
		case text > TextRows:
			m.step = max(m.step/2, 1)
			clear(m.c.values)
		case text < TextRows/4:
			m.step = min(2*m.step, dataset.MaxBatch)
		}
	}
	m.hold.Free()
	m.all = rowset.Sized(m.all, len(at))
	for row, k := range at {
		m.all[row] = m.known.Vals[k]
	}
	return m.all, nil
}

// madeAtOnce is how many terms that the query made are read together: they may be long.
const madeAtOnce = 8

// firstLocal returns the place of the first id that the query made, in ascending ids; -1 if
// there is none.
func firstLocal(list []id) int {
	if n := len(list); n == 0 || !list[n-1].IsLocal() {
		return -1
	}
	return slices.IndexFunc(list, id.IsLocal)
}

// compute computes the results of ids that are not known.
func (m *Memo) compute(ctx context.Context, fresh []id) error {
	if err := m.c.Prepare(ctx, &m.fresh); err != nil {
		return err
	}
	if text := int64(TextOf(m.c.values)); text > max(TextRows, m.hold.Bytes) {
		if err := m.hold.To(ctx, text); err != nil {
			return err
		}
	}
	if m.test != nil {
		for row, i := range fresh {
			m.known.Vals[m.known.Find(i)] = id(m.test(row))
			if err := m.run.RowErr(); err != nil {
				return err
			}
		}
		return m.run.ValueErr()
	}
	for row := 0; row < len(fresh); row += len(m.texts) {
		if err := m.some(ctx, fresh, row); err != nil {
			return err
		}
	}
	return m.run.ValueErr()
}

// some computes the values of ids from a row on, as far as there is not too much text.
func (m *Memo) some(ctx context.Context, fresh []id, from int) error {
	m.texts = m.texts[:0]
	bytes := 0
	for row := from; row < len(fresh) && bytes < TextRows; row++ {
		s := m.run.Values.Surface(m.k(row))
		if err := m.run.RowErr(); err != nil {
			return err
		}
		m.texts = append(m.texts, s)
		bytes += len(s)
	}
	if bytes >= TextRows {
		defer clear(m.texts)
	}
	m.outs = append(m.outs[:0], fresh[from:from+len(m.texts)]...)
	if err := m.run.Terms.Intern(ctx, m.texts, m.outs); err != nil {
		return err
	}
	for n, i := range m.outs {
		m.known.Vals[m.known.Find(fresh[from+n])] = i
	}
	return nil
}
