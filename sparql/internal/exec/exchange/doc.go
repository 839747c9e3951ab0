// Package exchange runs pipelines on several goroutines, each for parts of the rows of the leaf.
//
// It knows operators by what they can do, as package run has it ([run.Piped], [run.Preparer],
// [run.Rewinder], [run.Builder], [run.Continuer]). Which pipelines there are is chosen by the
// planner: a [plan.Exchange] stands above each. Grouping and sorting take the rows of the
// goroutines apart, as [run.Split].
package exchange
