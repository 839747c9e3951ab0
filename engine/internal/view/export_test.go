package view

import "github.com/rete-go/rete/engine/internal/layers"

// SetGraphRows sets how many graphs a scan has that takes rows from the graph rows of the base, and
// after how many that it opened; the result undoes that.
func SetGraphRows(graphs, after int) (undo func()) {
	g, a := manyGraphs, graphRowsAfter
	manyGraphs, graphRowsAfter = graphs, after
	return func() { manyGraphs, graphRowsAfter = g, a }
}

// Append returns the view of a longer log: that of v and more entries after it. It
// reads nothing, and what v remembers serves the new view too, so a small entry
// costs what it has, not what is below it. A term of v's log keeps its id; v stays
// as it is.
//
// The new layers never own what one of v's has, however large they are: Append is
// for small ones.
func Append(v *View, log ...layers.Entry) *View {
	return &View{core: v.core.Append(log...), end: v.end}
}
