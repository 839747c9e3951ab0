// Package cores shares the cores of the machine among the goroutines of all queries.
//
// [Enter] and [Leave] enclose the work of a query's own goroutine. A query starts others with
// [Acquire], within its [Limit], where cores are idle, and ends them when [Release] says that
// there are more goroutines than cores. [Each] is a loop that does so.
package cores
