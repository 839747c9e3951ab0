package parse

import "github.com/rete-go/rete/sparql/internal/ast"

// lateral checks LATERAL and leaves its variables in scope. What its pattern assigns, by BIND,
// AS or VALUES, must not have a value on the left, above floor: that value is put in where the
// pattern has the variable.
func (c *scopes) lateral(l *ast.Lateral, floor int) {
	c.assigned(l.Group, func(v ast.Var) {
		if c.has(v.Name, floor) {
			c.fail(v.Start, "?"+shorten(v.Name)+" has a value on the left of LATERAL", "what LATERAL assigns needs a new variable; compare with FILTER")
		}
	})
	c.group(l.Group)
}

// assigned calls add for the variables that a group assigns and that are in scope outside of it.
func (c *scopes) assigned(g *ast.Group, add func(ast.Var)) {
	for _, el := range g.Elements {
		if !c.meter.Step(1) {
			return
		}
		switch el := el.(type) {
		case *ast.Group:
			c.assigned(el, add)
		case *ast.Optional:
			c.assigned(el.Group, add)
		case *ast.Lateral:
			c.assigned(el.Group, add)
		case *ast.GraphPattern:
			c.assigned(el.Group, add)
		case *ast.Service:
			c.assigned(el.Group, add)
		case *ast.Union:
			for _, arm := range el.Groups {
				c.assigned(arm, add)
			}
		case *ast.Bind:
			add(el.Var)
		case *ast.Values:
			for _, v := range el.Vars {
				add(v)
			}
		case *ast.SubSelect:
			c.assignedByQuery(el.Query, add)
		}
	}
}

// assignedByQuery is assigned of a sub-select: what it assigns and projects.
func (c *scopes) assignedByQuery(q *ast.Query, add func(ast.Var)) {
	shown := make(map[string]bool, len(q.Items))
	for _, it := range q.Items {
		if it.Expr != nil {
			add(it.Var)
		}
		shown[it.Var.Name] = true
	}
	visible := func(v ast.Var) {
		if q.Star || shown[v.Name] {
			add(v)
		}
	}
	if q.Where != nil {
		c.assigned(q.Where, visible)
	}
	for _, k := range q.GroupBy {
		if k.Var.Name != "" {
			visible(k.Var)
		}
	}
	if q.Values != nil {
		for _, v := range q.Values.Vars {
			visible(v)
		}
	}
}
