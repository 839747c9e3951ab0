package plan

// Count is the number of rows of a pattern, without reading them.
type Count struct {
	Info
	Scan *Scan
	Var  Var
}

func (n *Count) Inputs() []Node         { return nil }
func (n *Count) WithInputs([]Node) Node { return n }

func (n *Count) Describe(names *Names) Described {
	return Described{"count", names.variable(n.Var) + " = " + names.scan(n.Scan), n.Scan.Order.String()}
}

// Counts groups the rows of one pattern by a variable and counts them. In an order that
// the variable leads, groups follow each other: no group is kept. Where there are few of
// them, each is counted as a pattern of its own, without reading its rows.
type Counts struct {
	Info
	// Rows delivers the variable, and that of Distinct behind it, sorted by both.
	Rows *Scan
	Key  Var
	// Distinct is the variable whose distinct ids are counted; NoVar without.
	Distinct Var
	// Keys delivers the ids of the variable, with few repeats; nil with Distinct.
	Keys *Scan
	Outs []Output // behind the key
}

// CostCounted is the cost of counting the rows of a pattern without reading them, in
// rows of a scan.
const CostCounted = 500

// Output is a column of counts: of rows, or of distinct ids.
type Output struct {
	Var      Var
	Distinct bool
}

func (n *Counts) Inputs() []Node            { return []Node{n.Rows} }
func (n *Counts) WithInputs(in []Node) Node { c := *n; c.Rows = in[0].(*Scan); return &c }

func (n *Counts) Describe(names *Names) Described {
	d := Described{Op: "counts", Detail: "by " + names.variable(n.Key)}
	if n.Distinct != NoVar {
		d.Detail += ", distinct " + names.variable(n.Distinct)
	}
	return d
}

// CountJoin counts the rows of an acyclic join without making them: for each id of
// a variable, the number of rows of every branch that hangs on it, multiplied.
type CountJoin struct {
	Info
	Root *Branches
	Key  bool  // a row for each id of the root; else one row with the sum
	Outs []Var // the counts, behind the key
}

// Branches are the patterns that hang on a variable.
type Branches struct {
	Var  Var
	List []*Branch
}

// Branch is one pattern, and what hangs on its other variables.
type Branch struct {
	Scan  *Scan // its columns: the variable above, then those below
	Below []*Branches
}

// scans appends the scans of all branches.
func (b *Branches) scans(list []Node) []Node {
	for _, br := range b.List {
		list = append(list, br.Scan)
		for _, below := range br.Below {
			list = below.scans(list)
		}
	}
	return list
}

// withScans returns a copy with the first scans of a list, and the rest of the list.
func (b *Branches) withScans(list []Node) (*Branches, []Node) {
	c := &Branches{Var: b.Var}
	for _, br := range b.List {
		to := &Branch{Scan: list[0].(*Scan)}
		list = list[1:]
		for _, below := range br.Below {
			below, list = below.withScans(list)
			to.Below = append(to.Below, below)
		}
		c.List = append(c.List, to)
	}
	return c, list
}

func (n *CountJoin) Inputs() []Node { return n.Root.scans(nil) }

func (n *CountJoin) WithInputs(in []Node) Node {
	c := *n
	c.Root, _ = n.Root.withScans(in)
	return &c
}

func (n *CountJoin) Describe(names *Names) Described {
	return Described{Op: "count of a join", Detail: "by " + names.variable(n.Root.Var)}
}
