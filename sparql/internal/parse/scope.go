package parse

import (
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

// scopes checks the rules about which variables an AS may name and what a
// grouped query may select (SPARQL 1.1, sections 18.2.1 and 19.8, notes).
//
// The variables in scope are a stack; a group sees what lies above the height
// at which it began. For each variable, last is its highest entry, so that a
// look-up is one comparison, however deep groups nest.
type scopes struct {
	meter *work.Meter
	text  string
	ids   map[string]int
	last  []int // place in stack plus one, by id; 0: not there
	stack []scopeEntry
	err   *ast.SyntaxError
}

type scopeEntry struct{ id, below int } // below: last[id] before this entry

func checkScopes(m *work.Meter, q *ast.Query, text string) *ast.SyntaxError {
	c := &scopes{meter: m, text: text, ids: make(map[string]int)}
	c.query(q)
	return c.err
}

func checkUpdateScopes(m *work.Meter, u *ast.Update, text string) *ast.SyntaxError {
	c := &scopes{meter: m, text: text, ids: make(map[string]int)}
	for _, op := range u.Ops {
		if m, ok := op.(*ast.Modify); ok {
			c.group(m.Where)
			c.cut(0)
		}
	}
	return c.err
}

func (c *scopes) fail(at uint32, msg, hint string) {
	if c.err == nil {
		c.err = ErrorAt(c.text, int(at), msg)
		c.err.Hint = hint
	}
}

func (c *scopes) id(name string) int {
	id, ok := c.ids[name]
	if !ok {
		id = len(c.last)
		c.ids[name] = id
		c.last = append(c.last, 0)
	}
	return id
}

// add brings a variable into scope.
func (c *scopes) add(name string) {
	c.meter.Step(1)
	id := c.id(name)
	c.stack = append(c.stack, scopeEntry{id, c.last[id]})
	c.last[id] = len(c.stack)
}

// has reports whether a variable is in scope above floor.
func (c *scopes) has(name string, floor int) bool {
	id, ok := c.ids[name]
	return ok && c.last[id] > floor
}

// cut takes everything above floor out of scope.
func (c *scopes) cut(floor int) {
	for i := len(c.stack) - 1; i >= floor; i-- {
		c.last[c.stack[i].id] = c.stack[i].below
	}
	c.stack = c.stack[:floor]
}

func (c *scopes) node(n ast.Node) {
	switch n.Kind {
	case ast.VarNode:
		c.add(n.Name)
	case ast.TripleNode:
		c.node(n.Triple.S)
		c.node(n.Triple.P)
		c.node(n.Triple.O)
	}
}

// group leaves the variables of g in scope.
func (c *scopes) group(g *ast.Group) {
	floor := len(c.stack)
	for _, el := range g.Elements {
		if !c.meter.Step(1) {
			return
		}
		switch el := el.(type) {
		case *ast.Triples:
			for _, t := range el.Triples {
				c.node(t.S)
				c.node(t.P)
				c.node(t.O)
			}
		case *ast.Group:
			c.group(el)
		case *ast.Optional:
			c.group(el.Group)
		case *ast.Union:
			for _, g := range el.Groups {
				c.group(g)
			}
		case *ast.GraphPattern:
			c.node(el.Name)
			c.group(el.Group)
		case *ast.Service:
			c.node(el.Name)
			c.group(el.Group)
		case *ast.Lateral:
			c.lateral(el, floor)
		case *ast.Minus:
			c.apart(el.Group)
		case *ast.Filter:
			c.expr(el.Expr)
		case *ast.Bind:
			c.expr(el.Expr)
			if c.has(el.Var.Name, floor) {
				c.fail(el.Var.Start, "?"+shorten(el.Var.Name)+" has a value in this group already", "BIND needs a new variable; compare with FILTER")
			}
			c.add(el.Var.Name)
		case *ast.Values:
			c.vars(el.Vars)
		case *ast.Search:
			c.vars(el.Vars)
		case *ast.SubSelect:
			c.query(el.Query)
		}
	}
}

// apart checks a group whose variables are not in scope outside.
func (c *scopes) apart(g *ast.Group) {
	floor := len(c.stack)
	c.group(g)
	c.cut(floor)
}

func (c *scopes) vars(vars []ast.Var) {
	for _, v := range vars {
		c.add(v.Name)
	}
}

// expr checks the patterns in an expression.
func (c *scopes) expr(e ast.Expr) {
	ast.Walk(e, func(e ast.Expr) bool {
		if x, ok := e.(*ast.Exists); ok {
			c.apart(x.Pattern)
		}
		return c.meter.Step(1)
	})
}

// query leaves the variables that q projects in scope.
func (c *scopes) query(q *ast.Query) {
	floor := len(c.stack)
	if q.Where != nil {
		c.group(q.Where)
	}
	if q.Grouped {
		c.keys(q, floor)
		c.groupedItems(q.Items, floor)
	}
	if q.Values != nil {
		c.vars(q.Values.Vars)
	}
	c.items(q, floor)
	for _, e := range q.Having {
		c.expr(e)
	}
	for _, k := range q.OrderBy {
		c.expr(k.Expr)
	}
	if q.Star {
		return
	}
	c.cut(floor)
	for _, it := range q.Items {
		c.add(it.Var.Name)
	}
}

// keys replaces what is in scope above floor by the keys of GROUP BY.
func (c *scopes) keys(q *ast.Query, floor int) {
	if q.Form == ast.Select && q.Star {
		c.fail(q.Start, "SELECT * cannot stand in a grouped query", "name the keys and the aggregates")
	}
	var names []string
	for _, k := range q.GroupBy {
		c.expr(k.Expr)
		if v, ok := k.Expr.(*ast.VarExpr); ok && k.Var.Name == "" {
			names = append(names, v.Name)
		}
		if k.Var.Name != "" {
			if c.has(k.Var.Name, floor) {
				c.fail(k.Var.Start, "?"+shorten(k.Var.Name)+" has a value in the pattern already", "AS needs a new variable")
			}
			names = append(names, k.Var.Name)
			c.add(k.Var.Name)
		}
	}
	c.cut(floor)
	for _, n := range names {
		c.add(n)
	}
}

// groupedItems checks that a grouped query projects keys, what items before define, and
// aggregates (11.4); what VALUES after it has is none of these.
func (c *scopes) groupedItems(items []ast.SelectItem, floor int) {
	top := len(c.stack)
	for _, it := range items {
		if it.Expr == nil {
			c.grouped(it.Var, floor)
			continue
		}
		ast.Walk(it.Expr, func(e ast.Expr) bool {
			if v, ok := e.(*ast.VarExpr); ok {
				c.grouped(v.Var, floor)
			}
			_, inside := e.(*ast.Aggregate)
			return !inside && c.meter.Step(1)
		})
		c.add(it.Var.Name)
	}
	c.cut(top)
}

// items checks what SELECT projects.
func (c *scopes) items(q *ast.Query, floor int) {
	plain := make(map[string]bool) // the variables of the items so far
	for _, it := range q.Items {
		if it.Expr == nil {
			plain[it.Var.Name] = true
			continue
		}
		c.expr(it.Expr)
		if c.has(it.Var.Name, floor) || plain[it.Var.Name] {
			c.fail(it.Var.Start, "?"+shorten(it.Var.Name)+" has a value already", "AS needs a new variable")
		}
		c.add(it.Var.Name)
	}
}

// grouped refuses a variable that a grouped query neither has as a key nor
// aggregates.
func (c *scopes) grouped(v ast.Var, floor int) {
	if !c.has(v.Name, floor) {
		c.fail(v.Start, "?"+shorten(v.Name)+" is neither a key of GROUP BY nor inside an aggregate",
			"add it to GROUP BY, or take SAMPLE(?"+shorten(v.Name)+")")
	}
}
