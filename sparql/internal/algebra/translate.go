package algebra

import (
	"fmt"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Translate turns a query into algebra (SPARQL 1.1, section 18.2). A tree that
// [parse.Query] returned has no errors.
func Translate(q *ast.Query) (*Query, error) { return TranslateWith(new(work.Meter), q) }

// TranslateWith is [Translate] with a meter, whose error ends the translation. The memory of
// what is made was counted with the tree, see [parse.QueryWith].
func TranslateWith(m *work.Meter, q *ast.Query) (*Query, error) {
	t := newTranslator(m)
	out := &Query{Form: q.Form, Base: q.Base, Dataset: dataset(q.Dataset)}
	root, columns := t.query(q)
	out.Root = root
	switch q.Form {
	case ast.Select:
		out.Columns = columns
	case ast.Construct:
		out.Template = t.template(q.Template)
	case ast.Describe:
		out.Describe = t.describe(q, root)
	}
	out.Vars, out.Uses, out.Patterns = t.vars, t.uses, t.patterns
	return out, m.Err()
}

// translator turns one query, or one operation of an update, into algebra.
type translator struct {
	meter *work.Meter
	vars  Vars
	uses  Uses
	// patterns are the calls of REGEX and REPLACE, see [Query.Patterns].
	patterns []*Call
	names    map[string]Var // the variables of the current scope
	// blanks are the variables of blank nodes of patterns, by number.
	blanks map[int32]Var
	made   int     // generated variables
	seen   []int32 // by variable: the last list that had it, of those of distinct
	lists  int32
}

func newTranslator(m *work.Meter) *translator {
	return &translator{meter: m, names: make(map[string]Var), blanks: make(map[int32]Var)}
}

func dataset(clauses []ast.DatasetClause) *Dataset {
	if len(clauses) == 0 {
		return nil
	}
	d := &Dataset{}
	for _, c := range clauses {
		if c.Named {
			d.Named = append(d.Named, c.IRI)
		} else {
			d.Default = append(d.Default, c.IRI)
		}
	}
	return d
}

// variable returns the slot of a name in the current scope.
func (t *translator) variable(name string) Var {
	v, ok := t.names[name]
	if !ok {
		v = t.slot(VarInfo{Name: name})
		t.names[name] = v
	}
	return v
}

func (t *translator) slot(info VarInfo) Var {
	t.vars = append(t.vars, info)
	return Var(len(t.vars) - 1)
}

// generated returns a variable that the text does not have.
func (t *translator) generated(kind VarKind) Var {
	t.made++
	return t.slot(VarInfo{Name: fmt.Sprintf(".%d", t.made-1), Kind: kind})
}

func (t *translator) blank(n ast.Node) Var {
	v, ok := t.blanks[n.Blank]
	if !ok {
		name := n.Name
		if name == "" {
			name = fmt.Sprintf(".b%d", n.Blank)
		}
		v = t.slot(VarInfo{Name: name, Kind: Blank})
		t.blanks[n.Blank] = v
	}
	return v
}

// arg translates a node; no node gives the zero Arg.
func (t *translator) arg(n ast.Node) Arg {
	switch n.Kind {
	case ast.TermNode:
		return TermArg(n.Term)
	case ast.VarNode:
		return VarArg(t.variable(n.Name))
	case ast.BlankNode:
		return VarArg(t.blank(n))
	case ast.TripleNode:
		return Arg{Triple: &[3]Arg{t.arg(n.Triple.S), t.arg(n.Triple.P), t.arg(n.Triple.O)}}
	}
	return Arg{}
}

// template translates the triples of CONSTRUCT. Its blank nodes are not those
// of the pattern, also where the text has one block for both.
func (t *translator) template(triples []ast.Triple) []QuadTemplate {
	blanks := t.blanks
	t.blanks = make(map[int32]Var)
	out := make([]QuadTemplate, len(triples))
	for i, tr := range triples {
		if !t.meter.Step(1) {
			break
		}
		out[i] = QuadTemplate{tr.Span, t.arg(tr.S), t.arg(tr.P), t.arg(tr.O), Arg{}}
	}
	t.blanks = blanks
	return out
}

func (t *translator) describe(q *ast.Query, root Op) []Arg {
	var out []Arg
	if q.Star {
		for _, v := range t.visible(root) {
			out = append(out, VarArg(v))
		}
		return out
	}
	for _, n := range q.Targets {
		if !t.meter.Step(1) {
			break
		}
		out = append(out, t.arg(n))
	}
	return out
}

// query translates a query or a sub-select with all its modifiers.
func (t *translator) query(q *ast.Query) (root Op, columns []Var) {
	root = unit()
	if q.Where != nil {
		root = t.group(q.Where)
	}
	exprs := exprs{t: t} // adds to the Group below root, so all expressions come first
	if q.Grouped {
		root = t.grouping(q, root, &exprs)
	}
	var having []Expr
	for _, e := range q.Having {
		having = append(having, exprs.expr(e))
	}
	items := make([]Expr, len(q.Items))
	for i, it := range q.Items {
		if it.Expr != nil {
			items[i] = exprs.expr(it.Expr)
		}
		exprs.define(it.Var.Name)
	}
	keys := make([]OrderKey, len(q.OrderBy))
	for i, k := range q.OrderBy {
		keys[i] = OrderKey{k.Span, k.Desc, exprs.expr(k.Expr)}
	}

	root = filter(root, having)
	if q.Values != nil {
		root = join(root, t.values(q.Values))
	}
	for i, it := range q.Items {
		v := t.variable(it.Var.Name)
		if items[i] != nil {
			root = &Extend{it.Span, root, v, items[i]}
		}
		columns = append(columns, v)
	}
	if len(keys) > 0 {
		root = &OrderBy{root, keys}
	}
	if q.Form == ast.Select {
		if q.Star {
			columns = t.visible(root)
		}
		columns = t.distinct(columns)
		root = &Project{root, columns}
	}
	switch {
	case q.Distinct:
		root = &Distinct{root}
	case q.Reduced:
		root = &Reduced{root}
	}
	if q.HasLimit || q.Offset > 0 {
		root = &Slice{root, q.Offset, q.HasLimit, q.Limit}
	}
	return root, columns
}

// distinct drops repeated variables: what SELECT ?x ?x projects is a set
// (SPARQL 18.2.4.4), and a result in JSON has each name once.
func (t *translator) distinct(vars []Var) []Var {
	if len(t.seen) < len(t.vars) {
		t.seen = append(t.seen, make([]int32, len(t.vars)-len(t.seen))...)
	}
	t.lists++
	out := make([]Var, 0, len(vars))
	for _, v := range vars {
		if t.meter.Step(1) && t.seen[v] != t.lists {
			t.seen[v] = t.lists
			out = append(out, v)
		}
	}
	return out
}

// subSelect translates a sub-select. Its variables have a scope of their own,
// into which the projected ones are put before.
func (t *translator) subSelect(q *ast.Query) Op {
	if q.Star {
		op, _ := t.query(q)
		return op
	}
	outer := t.names
	inner := make(map[string]Var, len(q.Items))
	for _, it := range q.Items {
		inner[it.Var.Name] = t.variable(it.Var.Name)
	}
	t.names = inner
	op, _ := t.query(q)
	t.names = outer
	return op
}

func (t *translator) values(v *ast.Values) Op {
	out := &Values{Span: v.Span, Rows: v.Rows, Vars: make([]Var, len(v.Vars))}
	for i, x := range v.Vars {
		out.Vars[i] = t.variable(x.Name)
	}
	return out
}

// join returns Join(a, b) without the unit.
func join(a, b Op) Op {
	switch {
	case IsUnit(a):
		return b
	case IsUnit(b):
		return a
	}
	return &Join{a, b}
}

// filter returns Filter(exprs, o), o itself without expressions.
func filter(o Op, exprs []Expr) Op {
	if len(exprs) == 0 {
		return o
	}
	return &Filter{o, exprs}
}

// isCast reports whether an IRI is that of a datatype of XML Schema, which
// names a cast.
func isCast(iri rdf.Term) bool { return strings.HasPrefix(iri.Value(), rdf.XSD) }
