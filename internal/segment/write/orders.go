package write

import (
	"errors"
	"fmt"
)

// Contents is what a file's graphs hold.
type Contents struct {
	Graphs  int    // named graphs
	Named   uint64 // quads in named graphs
	Default uint64 // quads in the default graph
}

// What many small graphs are. A stored graph has overheads in each order: names and bounds of its
// tiles, and a frame of its own. Its rows are soon sorted, though, and queries over many graphs
// read all of them in one list. Three orders take half the bytes at any size; up to 200 quads
// first queries cost the same in both, at 300 up to 1.4 times of those over six
// (BenchmarkOrders of bench/graphs, docs/file-format.md).
const (
	manyGraphs   = 1000 // there are more
	smallGraph   = 200  // quads of a named graph, on average, at most
	smallDefault = 10   // times the quads of the default graph are those of the named ones at most
)

// Most returns how many quads named graphs have at most, and the default graph, where three orders
// are stored because graphs are many and small.
func Most(graphs int) (named, def uint64) {
	if graphs <= manyGraphs {
		return 0, 0
	}
	named = uint64(graphs) * smallGraph
	return named, named / smallDefault
}

// ThreeOrders reports whether a file has the orders SPO, POS and OSP alone. Unless
// [WriterOptions].Orders decides, it depends on the contents, and on nothing else.
func ThreeOrders(orders int, c Contents) bool {
	if orders != 0 {
		return orders == 3
	}
	named, _ := Most(c.Graphs)
	return c.Named > 0 && c.Named <= named && c.Default <= c.Named/smallDefault
}

// masks of the header.
const (
	maskAll   = 0
	maskThree = 0x07
)

// SetContents says what the file will hold, before its first graph: where the options leave the number
// of orders open, it decides; without it, there are six.
func (w *Writer) SetContents(c Contents) error {
	if w.done {
		return ErrDone
	}
	if w.def != nil || w.open != nil || len(w.graphs) > 0 {
		return errors.New("segment: contents are known before the first graph")
	}
	if ThreeOrders(w.opt.Orders, c) {
		w.mask = maskThree
	}
	return nil
}

// Three reports whether the file has three orders.
func (w *Writer) Three() bool { return w.mask == maskThree }

// checkOrders refuses a number of orders that there is not.
func (o *WriterOptions) checkOrders() error {
	if o.Orders != 0 && o.Orders != 3 && o.Orders != 6 {
		return fmt.Errorf("segment: %d orders: there are 3 or 6, or 0 to leave it open", o.Orders)
	}
	return nil
}
