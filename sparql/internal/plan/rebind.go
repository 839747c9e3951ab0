package plan

import (
	"slices"

	"github.com/rete-go/rete/dataset"
)

// Estimated is a pattern of which the dataset was asked how many rows it has, and what
// it said.
type Estimated struct {
	Pattern dataset.Pattern
	Rows    uint64
}

// Estimates returns the patterns with a subject or an object whose rows decided about
// the plan.
func (p *Planner) Estimates() []Estimated { return p.estimates }

// Rebind returns the plan of a query that differs from that of n only in terms: those
// with the ids from, as subjects, objects, ends of paths and in tables, are those with
// the ids to, which may have other numbers of rows. What both plans have is shared. It
// returns nil for a plan in which ids stand elsewhere, too.
func Rebind(n Node, from, to []ID) Node {
	r := rebinder{from: from, to: to}
	n = r.node(n)
	if r.failed {
		return nil
	}
	return n
}

// rebinder makes a plan from another one.
type rebinder struct {
	from, to []ID
	scans    [][2]*Scan // those that were changed, and what they became
	failed   bool
}

func (r *rebinder) id(i *ID) bool {
	if *i == 0 {
		return false
	}
	at := slices.Index(r.from, *i)
	if at < 0 {
		return false
	}
	*i = r.to[at]
	return true
}

func (r *rebinder) scan(s *Scan) *Scan {
	if s == nil {
		return nil
	}
	for _, pair := range r.scans {
		if pair[0] == s {
			return pair[1]
		}
	}
	pattern := s.Pattern
	if a, b := r.id(&pattern.S), r.id(&pattern.O); !a && !b {
		return s
	}
	c := *s
	c.Pattern = pattern
	r.scans = append(r.scans, [2]*Scan{s, &c})
	return &c
}

// node returns n itself if nothing in it is changed.
func (r *rebinder) node(n Node) Node {
	switch n := n.(type) {
	case *Input, *Graphs:
		return n
	case *Scan:
		return r.scan(n)
	case *Values:
		return r.values(n)
	case *Path:
		c := *n
		if a, b := r.arg(&c.S), r.arg(&c.O); a || b {
			return &c
		}
		return n
	case *Count:
		if s := r.scan(n.Scan); s != n.Scan {
			c := *n
			c.Scan = s
			return &c
		}
		return n
	case *Counts:
		if rows, keys := r.scan(n.Rows), r.scan(n.Keys); rows != n.Rows || keys != n.Keys {
			c := *n
			c.Rows, c.Keys = rows, keys
			return &c
		}
		return n
	case *CountJoin:
		if root := r.branches(n.Root); root != n.Root {
			c := *n
			c.Root = root
			return &c
		}
		return n
	case *Multiway:
		return r.multiway(n)
	case *Merge:
		if args, changed := r.nodes(n.Args); changed {
			c := *n
			c.Args = args
			return &c
		}
		return n
	case *Union:
		if args, changed := r.nodes(n.Args); changed {
			c := *n
			c.Args = args
			return &c
		}
		return n
	case *Join:
		left, right, cond := r.node(n.Left), r.node(n.Right), n.Cond
		if cond != nil {
			cond = r.node(cond)
		}
		if left != n.Left || right != n.Right || cond != n.Cond {
			c := *n
			c.Left, c.Right, c.Cond = left, right, cond
			return &c
		}
		return n
	case *GraphLoop:
		graphs, body := r.node(n.Graphs), r.node(n.Body)
		if graphs != n.Graphs || body != n.Body {
			c := *n
			c.Graphs, c.Body = graphs, body
			return &c
		}
		return n
	case *Exchange:
		if in := r.node(n.Input); in != n.Input {
			c := *n
			c.Input, c.Leaf = in, r.scan(n.Leaf)
			return &c
		}
		return n
	case *TopByValue:
		if in := r.node(n.Input); in != n.Input {
			c := *n
			c.Input, c.Leaf = in, r.scan(n.Leaf)
			return &c
		}
		return n
	}
	return r.above(n)
}

// above is node for operators that have nothing but one input with ids.
func (r *rebinder) above(n Node) Node {
	switch n := n.(type) {
	case *Filter:
		return rebound(r, n, &n.Input, func(c *Filter) *Node { return &c.Input })
	case *Extend:
		return rebound(r, n, &n.Input, func(c *Extend) *Node { return &c.Input })
	case *ValueKey:
		return rebound(r, n, &n.Input, func(c *ValueKey) *Node { return &c.Input })
	case *Group:
		return rebound(r, n, &n.Input, func(c *Group) *Node { return &c.Input })
	case *Distinct:
		return rebound(r, n, &n.Input, func(c *Distinct) *Node { return &c.Input })
	case *Order:
		return rebound(r, n, &n.Input, func(c *Order) *Node { return &c.Input })
	case *Construct:
		return rebound(r, n, &n.Input, func(c *Construct) *Node { return &c.Input })
	case *Slice:
		return rebound(r, n, &n.Input, func(c *Slice) *Node { return &c.Input })
	case *Project:
		return rebound(r, n, &n.Input, func(c *Project) *Node { return &c.Input })
	}
	r.failed = true
	return n
}

// rebound returns n with another input, or n itself.
func rebound[T any, P interface {
	*T
	Node
}](r *rebinder, n P, in *Node, of func(P) *Node) Node {
	input := r.node(*in)
	if input == *in {
		return n
	}
	c := P(new(T))
	*c = *n
	*of(c) = input
	return c
}

func (r *rebinder) nodes(list []Node) (out []Node, changed bool) {
	for i, n := range list {
		c := r.node(n)
		if c != n && !changed {
			out, changed = slices.Clone(list), true
		}
		if changed {
			out[i] = c
		}
	}
	return out, changed
}

func (r *rebinder) arg(a *Arg) bool { return a.Var == NoVar && r.id(&a.ID) }

func (r *rebinder) values(n *Values) Node {
	var changed []ID
	for i, id := range n.IDs {
		if !r.id(&id) {
			continue
		}
		if changed == nil {
			changed = slices.Clone(n.IDs)
		}
		changed[i] = id
	}
	if changed == nil {
		return n
	}
	c := *n
	c.IDs = changed
	return &c
}

func (r *rebinder) multiway(n *Multiway) Node {
	var edges []Edge
	for i, e := range n.Edges {
		if s := r.scan(e.Scan); s != e.Scan {
			if edges == nil {
				edges = slices.Clone(n.Edges)
			}
			edges[i].Scan = s
		}
	}
	if edges == nil {
		return n
	}
	c := *n
	c.Edges = edges
	return &c
}

func (r *rebinder) branches(b *Branches) *Branches {
	var list []*Branch
	for i, br := range b.List {
		c := *br
		c.Scan = r.scan(br.Scan)
		changed := c.Scan != br.Scan
		for k, below := range br.Below {
			if made := r.branches(below); made != below {
				if len(c.Below) > 0 && &c.Below[0] == &br.Below[0] {
					c.Below = slices.Clone(br.Below)
				}
				c.Below[k], changed = made, true
			}
		}
		if !changed {
			continue
		}
		if list == nil {
			list = slices.Clone(b.List)
		}
		list[i] = &c
	}
	if list == nil {
		return b
	}
	c := *b
	c.List = list
	return &c
}
