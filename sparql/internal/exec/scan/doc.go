// Package scan has the leaves of plans: scans of patterns, in an order, by ranges, by values and
// by texts, tables, inputs, lists of graphs, and SERVICE.
//
// [New] makes the scan of one pattern. [NewExtreme] reads the rows first whose objects come first
// in the order of values. [All] and [InOrder] read a pattern whole for an operator that is no
// scan.
package scan
