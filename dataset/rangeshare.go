package dataset

import "context"

// RangeShare is a Dataset that guesses which part of the rows of a pattern have an id
// of some ranges in a column, without reading them. The ranges ascend and are
// disjoint. ok is false where it has no guess.
type RangeShare interface {
	RangeShare(ctx context.Context, p Pattern, c Col, list []IDRange) (share float64, ok bool, err error)
}
