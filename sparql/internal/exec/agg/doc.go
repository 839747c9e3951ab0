// Package agg has the operators that put rows together: grouping with aggregates, and DISTINCT.
//
// An aggregate is chosen in newAggregate (group.go), and takes rows in add (groupadd.go). What
// happens when memory is refused is decided by makeRoom (groupload.go).
package agg
