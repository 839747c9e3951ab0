// Package naive evaluates the algebra by the letter of section 18 of SPARQL 1.1:
// rows of terms, every operator over whole lists, no order chosen, no index. It
// is the oracle that tests compare the engine with; it is slow on purpose and
// shares with the engine only the meaning of single values.
package naive

import (
	"cmp"
	"context"
	"slices"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/value"
)

// Row is a solution: a term for each variable of the query, the zero term where
// it is unbound.
type Row []rdf.Term

// Solutions returns the solutions of o over d. vars is the table of variables
// of o.
func Solutions(o algebra.Op, vars algebra.Vars, d *Dataset) []Row {
	return solutions(o, vars, d, "", nil)
}

// solutions is Solutions with the base IRI of the text, and a meter of the work.
func solutions(o algebra.Op, vars algebra.Vars, d *Dataset, base string, m *meter) []Row {
	e := &evaluator{data: d, vars: vars, width: len(vars), env: value.NewContext(context.Background()), meter: m}
	if b, err := iri.NewBase(base); err == nil {
		e.env.Base = b
	}
	return e.eval(o, scope{graph: d.Default})
}

type evaluator struct {
	data  *Dataset
	vars  algebra.Vars
	width int
	env   *value.Context
	meter *meter
}

// scope is what an operator is evaluated in: the active graph, and, inside
// EXISTS and LATERAL, the solution that is put into the pattern.
type scope struct {
	graph []Triple
	put   Row // nil outside of both
}

// with returns the scope into which a row is put besides.
func (s scope) with(r Row) scope {
	put := slices.Clone(r)
	for v := range s.put {
		if put[v].IsZero() {
			put[v] = s.put[v]
		}
	}
	return scope{s.graph, put}
}

// only returns the scope that a sub-select or a grouping sees: of the solution
// that was put in, the given variables.
func (s scope) only(vars []algebra.Var) scope {
	if s.put == nil {
		return s
	}
	put := make(Row, len(s.put))
	for _, v := range vars {
		put[v] = s.put[v]
	}
	s.put = put
	return s
}

// rebind keeps the rows that agree with the solution that was put in on the
// given variables, and binds these.
func (s scope) rebind(rows []Row, vars ...algebra.Var) []Row {
	if s.put == nil {
		return rows
	}
	var out []Row
	for _, r := range rows {
		r, ok := slices.Clone(r), true
		for _, v := range vars {
			if v < 0 || s.put[v].IsZero() {
				continue
			}
			ok = ok && (r[v].IsZero() || r[v] == s.put[v])
			r[v] = s.put[v]
		}
		if ok {
			out = append(out, r)
		}
	}
	return out
}

func (e *evaluator) empty() Row { return make(Row, e.width) }

// eval evaluates an operator.
func (e *evaluator) eval(o algebra.Op, s scope) []Row {
	rows := e.operator(o, s)
	e.meter.spend(len(rows))
	return rows
}

func (e *evaluator) operator(o algebra.Op, s scope) []Row {
	switch o := o.(type) {
	case *algebra.BGP:
		return e.bgp(o, s)
	case *algebra.Path:
		return e.path(o, s)
	case *algebra.Values:
		return e.values(o, s)
	case *algebra.Search:
		return e.search(o, s)
	case *algebra.Join:
		return e.join(e.eval(o.Left, s), e.eval(o.Right, s))
	case *algebra.LeftJoin:
		return e.leftJoin(o, s)
	case *algebra.Lateral:
		return e.lateral(o, s)
	case *algebra.Minus:
		return e.minus(e.eval(o.Left, s), e.eval(o.Right, s))
	case *algebra.Union:
		var out []Row
		for _, a := range o.Args {
			out = append(out, e.eval(a, s)...)
		}
		return out
	case *algebra.Filter:
		var out []Row
		for _, r := range e.eval(o.Input, s) {
			if e.holds(o.Exprs, r, s) {
				out = append(out, r)
			}
		}
		return out
	case *algebra.Graph:
		return e.graph(o, s)
	case *algebra.Extend:
		return e.extend(o, s)
	case *algebra.Group:
		return e.group(o, s)
	}
	return e.modifier(o, s)
}

func (e *evaluator) modifier(o algebra.Op, s scope) []Row {
	switch o := o.(type) {
	case *algebra.Project:
		var out []Row
		for _, r := range e.eval(o.Input, s.only(o.Vars)) {
			kept := e.empty()
			for _, v := range o.Vars {
				kept[v] = r[v]
			}
			out = append(out, kept)
		}
		return out
	case *algebra.Distinct:
		return distinct(e.eval(o.Input, s))
	case *algebra.Reduced:
		return e.eval(o.Input, s)
	case *algebra.OrderBy:
		return e.order(o, s)
	case *algebra.Slice:
		rows := e.eval(o.Input, s)
		rows = rows[min(o.Offset, uint64(len(rows))):]
		if o.HasLimit {
			rows = rows[:min(o.Limit, uint64(len(rows)))]
		}
		return rows
	}
	panic("naive: there are no endpoints for SERVICE")
}

func (e *evaluator) values(o *algebra.Values, s scope) []Row {
	var out []Row
	for row := range o.Rows.All() {
		r := e.empty()
		for i, v := range o.Vars {
			r[v] = row[i]
		}
		out = append(out, r)
	}
	return s.rebind(out, o.Vars...)
}

func (e *evaluator) extend(o *algebra.Extend, s scope) []Row {
	var out []Row
	for _, r := range e.eval(o.Input, s) {
		v := e.value(o.Expr, r, s)
		r = slices.Clone(r)
		if !v.IsNone() {
			r[o.Var] = v.Term()
		}
		out = append(out, r)
	}
	return s.rebind(out, o.Var)
}

func (e *evaluator) graph(o *algebra.Graph, s scope) []Row {
	name := o.Name.Term
	v := o.Name.Variable()
	switch {
	case o.Name.IsVar() && s.put != nil:
		name = s.put[v]
	case name == unionGraph:
		return e.eval(o.Input, scope{e.data.union(), s.put})
	case name == defaultGraph:
		return e.eval(o.Input, scope{e.data.Default, s.put})
	}
	var out []Row
	names := e.data.names()
	if !name.IsZero() {
		at, ok := slices.BinarySearchFunc(names, name, func(a, b rdf.Term) int { return cmp.Compare(a.Surface(), b.Surface()) })
		if !ok {
			return nil
		}
		names = names[at : at+1]
	}
	for _, g := range names {
		rows := e.eval(o.Input, scope{e.data.Named[g], s.put})
		if o.Name.IsVar() {
			one := e.empty()
			one[v] = g
			rows = e.join(rows, []Row{one})
		}
		out = append(out, rows...)
	}
	return out
}

func (e *evaluator) leftJoin(o *algebra.LeftJoin, s scope) []Row {
	right := e.eval(o.Right, s)
	var out []Row
	for _, l := range e.eval(o.Left, s) {
		matched := false
		e.meter.spend(len(right))
		for _, r := range right {
			m, ok := merge(l, r)
			if ok && (o.Expr == nil || e.holds([]algebra.Expr{o.Expr}, m, s)) {
				matched = true
				out = append(out, m)
			}
		}
		if !matched {
			out = append(out, l)
		}
	}
	return out
}

// lateral evaluates the right side for each row of the left, which is put in.
func (e *evaluator) lateral(o *algebra.Lateral, s scope) []Row {
	var out []Row
	for _, l := range e.eval(o.Left, s) {
		out = append(out, e.join([]Row{l}, e.eval(o.Right, s.with(l)))...)
	}
	return out
}

// merge joins two compatible rows.
func merge(a, b Row) (Row, bool) {
	m := slices.Clone(a)
	for i, t := range b {
		switch {
		case m[i].IsZero():
			m[i] = t
		case !t.IsZero() && t != m[i]:
			return nil, false
		}
	}
	return m, true
}

func (e *evaluator) join(left, right []Row) []Row {
	var out []Row
	for _, l := range left {
		e.meter.spend(len(right))
		for _, r := range right {
			if m, ok := merge(l, r); ok {
				out = append(out, m)
			}
		}
	}
	return out
}

func (e *evaluator) minus(left, right []Row) []Row {
	var out []Row
	for _, l := range left {
		e.meter.spend(len(right))
		if !slices.ContainsFunc(right, func(r Row) bool { return excludes(l, r) }) {
			out = append(out, l)
		}
	}
	return out
}

// excludes reports whether two rows are compatible and share a variable.
func excludes(a, b Row) bool {
	shared := false
	for i := range a {
		if a[i].IsZero() || b[i].IsZero() {
			continue
		}
		if a[i] != b[i] {
			return false
		}
		shared = true
	}
	return shared
}

// key returns a text that is equal for equal rows.
func key(r Row) string {
	var b []byte
	for _, t := range r {
		b = append(append(b, t.Surface()...), 0)
	}
	return string(b)
}

func distinct(rows []Row) []Row {
	seen := make(map[string]bool)
	var out []Row
	for _, r := range rows {
		if k := key(r); !seen[k] {
			seen[k] = true
			out = append(out, r)
		}
	}
	return out
}

func (e *evaluator) order(o *algebra.OrderBy, s scope) []Row {
	type keyed struct {
		row  Row
		keys []value.Value
	}
	var list []keyed
	for _, r := range e.eval(o.Input, s) {
		k := keyed{row: r}
		for _, ok := range o.Keys {
			k.keys = append(k.keys, e.value(ok.Expr, r, s))
		}
		list = append(list, k)
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		for i, k := range o.Keys {
			c := value.Compare(a.keys[i], b.keys[i])
			if k.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	out := make([]Row, len(list))
	for i, k := range list {
		out[i] = k.row
	}
	return out
}
