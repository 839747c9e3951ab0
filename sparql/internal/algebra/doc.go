// Package algebra is the SPARQL algebra (SPARQL 1.1, section 18) and the
// translation of parsed text into it.
//
// [Translate] turns an [ast.Query] into a [Query]: a tree of operators ([Op])
// over numbered variables ([Var]). [TranslateUpdate] does the same for updates.
//
// Variables are slots: small numbers that index [Vars], and rows of an
// executor. One slot is one variable of the algebra: a variable that a
// sub-select does not project has another slot than a variable of the same name
// outside, and each blank node of a pattern has a slot that cannot be
// projected. So operators never need to rename or to hide anything, and two
// equal slots always join.
//
// The tree follows the text: no order of joins is chosen, no filter is moved.
// [Certain] and [Possible] tell which variables an operator surely binds and
// may bind; planners need them to move things.
//
// String methods print operators as S-expressions.
package algebra
