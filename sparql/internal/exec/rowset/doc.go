// Package rowset is how the executor holds rows: columns of ids, in batches that operators hand
// on, and in containers that they keep.
//
// A [Batch] is what an [Op] delivers, and [Batches] is the memory of those that an operator
// makes. A [Relation] keeps rows, a [Table] finds rows of columns by a key, a [Set] numbers
// distinct rows. All that knows something of ids does so by one of the two: [IDMap],
// [Numbering] and [NodeSets] by a [Set] of one column. None of them asks for memory: the operator asks before they grow, by what growth methods say. All
// that handle many rows take a context, which they check.
package rowset
