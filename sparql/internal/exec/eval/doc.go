// Package eval computes expressions for the rows of a batch.
//
// A [Compiler] turns an expression over the columns of a node into a [Kernel], which gives its
// value for a row, or a [Truth]. What kernels read is brought in for a whole batch by
// [Compiler.Prepare]. A [Memo] computes an expression of one variable once for each id. A value
// error of SPARQL is the value None; a Go error ends the query, and [run.Run.RowErr] returns it.
package eval
