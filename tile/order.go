package tile

// Order is one of the six permutations of a triple's columns, in slot order of
// the index container.
type Order uint8

// The orders: subject, predicate and object in the sequence of sorting.
const (
	SPO Order = iota
	POS
	OSP
	SOP
	PSO
	OPS

	NumOrders = 6 // how many orders there are
)

var columns = [NumOrders][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}

var orderNames = [NumOrders]string{"SPO", "POS", "OSP", "SOP", "PSO", "OPS"}

// Columns returns which position of a triple (0 subject, 1 predicate, 2 object)
// each of the columns a, b, c of the order holds.
func (o Order) Columns() [3]int { return columns[o] }

// Permute returns the triple (s, p, o) in the column order of o.
func (o Order) Permute(t [3]uint32) [3]uint32 {
	c := &columns[o]
	return [3]uint32{t[c[0]], t[c[1]], t[c[2]]}
}

// Restore is the inverse of [Order.Permute]: from columns to (s, p, o).
func (o Order) Restore(abc [3]uint32) [3]uint32 {
	var t [3]uint32
	for i, col := range columns[o] {
		t[col] = abc[i]
	}
	return t
}

// String returns the name, "SPO" for instance.
func (o Order) String() string {
	if o < NumOrders {
		return orderNames[o]
	}
	return "unknown order"
}

// Choose returns the order whose leading columns answer a pattern with the
// given positions bound: the first in slot order with the most bound columns in
// front. It is always one of SPO, POS and OSP.
func Choose(s, p, o bool) Order {
	bound := [3]bool{s, p, o}
	best, most := SPO, 0
	for order := SPO; order < NumOrders; order++ {
		n := 0
		for _, col := range columns[order] {
			if !bound[col] {
				break
			}
			n++
		}
		if n > most {
			best, most = order, n
		}
	}
	return best
}
