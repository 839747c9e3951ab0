// Package rowwise has the operators that make a row of each row of their input, or none, and
// keep nothing: FILTER, BIND, projections, slices, unions, loops over graphs, and the triples of
// CONSTRUCT.
package rowwise
