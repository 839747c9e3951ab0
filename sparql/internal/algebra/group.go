package algebra

import "github.com/rete-go/rete/sparql/internal/ast"

// group translates a group graph pattern (section 18.2.2.6).
func (t *translator) group(g *ast.Group) Op {
	op, filters := t.groupAndFilters(g)
	return filter(op, filters)
}

// groupAndFilters translates a group without its FILTERs, which OPTIONAL needs
// apart.
func (t *translator) groupAndFilters(g *ast.Group) (Op, []Expr) {
	b := &groupBuilder{op: unit()}
	var filters []Expr
	for _, el := range g.Elements {
		if !t.meter.Step(1) {
			break
		}
		switch el := el.(type) {
		case *ast.Triples:
			for i := range el.Triples {
				if !t.meter.Step(1) {
					break
				}
				t.triple(b, &el.Triples[i])
			}
		case *ast.Filter:
			filters = append(filters, t.expr(el.Expr))
		default:
			b.flush()
			t.element(b, el)
		}
	}
	b.flush()
	return b.op, filters
}

// groupBuilder is the pattern of a group so far: op and the triples of the basic
// graph pattern that is not yet closed.
type groupBuilder struct {
	op  Op
	bgp []TriplePattern
}

func (b *groupBuilder) flush() {
	if len(b.bgp) > 0 {
		b.op = join(b.op, &BGP{b.bgp})
		b.bgp = nil
	}
}

func (b *groupBuilder) join(o Op) {
	b.flush()
	b.op = join(b.op, o)
}

// element translates a member that is no triple and no filter.
func (t *translator) element(b *groupBuilder, el ast.Element) {
	switch el := el.(type) {
	case *ast.Group:
		b.op = join(b.op, t.group(el))
	case *ast.Optional:
		right, filters := t.groupAndFilters(el.Group)
		b.op = &LeftJoin{b.op, right, and(filters)}
	case *ast.Lateral:
		if right := t.group(el.Group); IsUnit(b.op) {
			b.op = right
		} else {
			b.op = &Lateral{b.op, right}
		}
	case *ast.Minus:
		b.op = &Minus{b.op, t.group(el.Group)}
	case *ast.Union:
		u := &Union{}
		for _, g := range el.Groups {
			u.Args = append(u.Args, t.group(g))
		}
		b.op = join(b.op, u)
	case *ast.GraphPattern:
		name := t.arg(el.Name)
		b.op = join(b.op, &Graph{el.Span, name, t.group(el.Group)})
	case *ast.Service:
		b.op = join(b.op, t.service(el))
	case *ast.Bind:
		e := t.expr(el.Expr)
		b.op = &Extend{el.Span, b.op, t.variable(el.Var.Name), e}
	case *ast.Values:
		b.op = join(b.op, t.values(el))
	case *ast.Search:
		s := &Search{Span: el.Span, Words: el.Words, Limit: el.Limit}
		for _, v := range el.Vars {
			s.Vars = append(s.Vars, t.variable(v.Name))
		}
		b.op = join(b.op, s)
	case *ast.SubSelect:
		b.op = join(b.op, t.subSelect(el.Query))
	}
}

func (t *translator) service(el *ast.Service) Op {
	t.uses |= UsesService
	name := t.arg(el.Name)
	here := t.patterns
	in := t.group(el.Group)
	t.patterns = here // the endpoint may know more of regular expressions
	return &Service{el.Span, el.Silent, name, in, el.Group, t.visible(in)}
}

// and returns the conjunction of expressions, nil for none.
func and(exprs []Expr) Expr {
	switch len(exprs) {
	case 0:
		return nil
	case 1:
		return exprs[0]
	}
	at := exprs[0].Range()
	at.End = exprs[len(exprs)-1].Range().End
	return &Call{at, ast.And, exprs}
}
