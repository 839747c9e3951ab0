package idspace

// named are those of some terms that are predicates or graph names of a view. Few are, and it is
// the same for each layer in which the terms are looked up.
type named struct {
	known bool
	list  []name
}

// name is a term by its place in a list, with its ranks as predicate and as graph name, 0 where
// it is none.
type name struct {
	at          int
	pred, graph uint32
}

// among returns the names among terms, which stand at the places at of a list. What it found once
// it returns ever after: later terms must be some of the first ones.
func (x *named) among(n *Names, terms [][]byte, at []int) []name {
	if !x.known {
		x.known = true
		for i, t := range terms {
			if p, g := n.Preds.rank(t), n.Graphs.rank(t); p > 0 || g > 0 {
				x.list = append(x.list, name{at[i], p, g})
			}
		}
	}
	return x.list
}
