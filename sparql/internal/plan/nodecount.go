package plan

import "strings"

// Count counts the rows of patterns without making them: of one pattern, or of an acyclic join
// of patterns. There it is, for each id of a variable, the number of rows of every branch that
// hangs on it, multiplied.
type Count struct {
	Info
	Root *Branches
	Key  bool     // a row for each id of the root; else one row with the sum
	Outs []Output // the counts, after the key
	// Distinct, of one pattern with a key, is the variable whose distinct ids are counted;
	// NoVar without.
	Distinct Var
}

// CostCounted is the cost of counting the rows of a pattern without reading them, in
// rows of a scan.
const CostCounted = 500

// Output is a column of counts: of rows, or of distinct ids.
type Output struct {
	Var      Var
	Distinct bool
}

// Branches are the patterns that hang on a variable.
type Branches struct {
	Var  Var // NoVar of one pattern without a key
	List []*Branch
}

// Branch is one pattern, and what hangs on its other variables.
type Branch struct {
	Scan  *Scan // its columns: the variable above, then those below
	Below []*Branches
}

// One returns the scan of a count of one pattern: with a key its rows are sorted by the key and
// then by Distinct. It is nil for a join.
func (n *Count) One() *Scan {
	if list := n.Root.List; len(list) == 1 && len(list[0].Below) == 0 {
		return list[0].Scan
	}
	return nil
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

func (n *Count) Inputs() []Node { return n.Root.scans(nil) }

func (n *Count) WithInputs(in []Node) Node {
	c := *n
	c.Root, _ = n.Root.withScans(in)
	return &c
}

func (n *Count) Describe(names *Names) Described {
	d := Described{Op: "count"}
	if n.One() == nil {
		d.Op = "count of a join"
	}
	for i, out := range n.Outs {
		if i > 0 {
			d.Detail += " "
		}
		d.Detail += names.variable(out.Var)
	}
	if n.Key {
		d.Detail = strings.TrimSpace(d.Detail + " by " + names.variable(n.Root.Var))
	}
	if n.Distinct != NoVar {
		d.Detail += ", distinct " + names.variable(n.Distinct)
	}
	return d
}
