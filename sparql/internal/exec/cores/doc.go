// Package cores shares the cores of the machine among the goroutines of all queries.
//
// [Enter] and [Leave] enclose the work of a query's own goroutine. A [Crew] adds others, within the
// [Limit] of the query, where cores are idle, and lets them end when there are more goroutines
// than cores. [Each] is a loop over the parts of a work.
package cores
