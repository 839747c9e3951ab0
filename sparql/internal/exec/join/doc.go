// Package join has the operators that join.
//
// [New] makes the hash join: one side is stored, with a table over its keys, and the other one
// streams past. If it is applied, the stored side is a stretch of the left one, by whose ids the
// right one is narrowed. It goes over to the other method where the estimates were wrong
// (method.go, storeleft.go) and to files where memory is refused (spill.go, store.go). [NewMerge]
// joins sides that are sorted by one key, [NewMultiway] binds one variable of all patterns after
// the other, and [NewLateral] and [NewSubstitute] plan the right side anew for each row.
package join
