package dataset

import "math/bits"

// Col is one of the four columns of a quad.
type Col uint8

// The columns, in the order of a quad.
const (
	S Col = iota
	P
	O
	G
)

// Cols is a set of columns.
type Cols uint8

// AllCols is every column of a quad.
const AllCols Cols = 1<<4 - 1

// Bit returns the set of c alone.
func (c Col) Bit() Cols { return 1 << c }

// Has reports whether c is in the set.
func (cs Cols) Has(c Col) bool { return cs>>c&1 != 0 }

// Len returns the number of columns in the set.
func (cs Cols) Len() int { return bits.OnesCount8(uint8(cs)) }

// Order is an order of triples; the numbers are those of package tile.
type Order uint8

// The six orders.
const (
	SPO Order = iota
	POS
	OSP
	SOP
	PSO
	OPS
	Orders int = iota
)

var orderCols = [Orders][3]Col{{S, P, O}, {P, O, S}, {O, S, P}, {S, O, P}, {P, S, O}, {O, P, S}}

// Columns returns the columns of the order, the leading one first.
func (o Order) Columns() [3]Col { return orderCols[o] }

// String returns the name of the order, such as "SPO".
func (o Order) String() string { return [Orders]string{"SPO", "POS", "OSP", "SOP", "PSO", "OPS"}[o] }

// Leads returns how many leading columns of the order are in cs.
func (o Order) Leads(cs Cols) int {
	n := 0
	for n < 3 && cs.Has(orderCols[o][n]) {
		n++
	}
	return n
}
