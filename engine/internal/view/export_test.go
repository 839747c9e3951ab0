package view

// SetGraphRows sets how many graphs a scan has that takes rows from the graph rows of the base, and
// after how many that it opened; the result undoes that.
func SetGraphRows(graphs, after int) (undo func()) {
	g, a := manyGraphs, graphRowsAfter
	manyGraphs, graphRowsAfter = graphs, after
	return func() { manyGraphs, graphRowsAfter = g, a }
}
