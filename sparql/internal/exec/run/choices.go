package run

import "github.com/rete-go/rete/dataset"

// Choices are the numbers by which operators choose their methods while they run. [Usual] has
// those of queries; others make rare methods common.
type Choices struct {
	// A join changes its method when an input has WrongTimes the rows that were expected, and no
	// fewer than that of WrongLeast expected ones.
	WrongTimes, WrongLeast float64
	// FewTimes is how many times the rows of its left side are read for the right side of a join
	// at least, for the left one to be stored instead.
	FewTimes float64
	// ProbeCost is the time of a probe in nanoseconds, as the planner has it.
	ProbeCost float64

	// SharedTable is from how many rows on a table is built by several goroutines, each for a
	// part of its heads, and SharedCount the same of a count.
	SharedTable, SharedCount int

	// More rows than RankedRows are sorted by the ranks of their terms; fewer have few terms.
	RankedRows int
	// WideChunks is how many chunks of the dictionary are decoded for a page of one batch, or of
	// a part of one, for pages to become wide.
	WideChunks int64
}

// Usual are the choices of queries.
var Usual = Choices{
	WrongTimes: 10, WrongLeast: 100, FewTimes: 8, ProbeCost: 72,
	SharedTable: 256 << 10, SharedCount: 100_000,
	RankedRows: dataset.MaxBatch, WideChunks: dataset.MaxBatch / 32,
}
