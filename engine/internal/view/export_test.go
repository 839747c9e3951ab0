package view

// SetPool sets from how many graphs on a scan takes rows from the pool of the base, and
// after how many that it opened; the result undoes that.
func SetPool(graphs, after int) (undo func()) {
	g, a := poolGraphs, poolAfter
	poolGraphs, poolAfter = graphs, after
	return func() { poolGraphs, poolAfter = g, a }
}
