// Package order has ORDER BY: rows sorted by keys of bytes, in memory or in files, the first
// ones alone, by several goroutines, or by the ranks of their terms.
package order
