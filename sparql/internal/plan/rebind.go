package plan

import (
	"slices"
)

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
	pattern := s.Pattern
	if a, b := r.id(&pattern.S), r.id(&pattern.O); !a && !b {
		return s
	}
	c := *s
	c.Pattern = pattern
	return &c
}

// node returns n itself if nothing in it is changed.
func (r *rebinder) node(n Node) Node {
	switch n := n.(type) {
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
	case *Unfold, *Service, *Substitute, *Lateral: // terms stand elsewhere in these
		r.failed = true
		return n
	}
	return Rewrite(n, func(_ int, in Node) Node { return r.node(in) })
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
