// Package planner turns the algebra of a query into a plan: the order of joins, their
// methods, where filters stand, which columns are kept, and which ids go sideways.
//
// [Planner.Plan] rewrites the algebra (package rewrite) and plans it from the top down: plan is
// the one switch over algebraic operators. What is known of an operator before it is planned,
// rows and distinct ids above all, are its facts (learn). Operands of joins with the filters over
// them are a group (flatten, planParts):
//
//   - Which operand is joined next, and with which method: order of a group's operands; search
//     weighs all orders of a few operands, long plans many. A hash join costs onceCost, probes
//     cost probesCost, a merge what merges says; the cheapest stands in joinTree. For OPTIONAL,
//     MINUS and EXISTS shouldApply compares the same costs.
//   - Which filters become tests of ids that scans make (ranges of terms, values, dictionary
//     filters): termfilter, valuefilter, dictfilter.
//   - What is counted without making rows: counts, countJoin.
//   - What runs on several goroutines: [Parallel].
//
// While a plan runs, a join may find that its inputs are not as expected, and change its method:
// see package exec.
package planner
