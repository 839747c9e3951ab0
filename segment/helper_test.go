package segment_test

import "slices"

func sortRows(rows [][3]uint32) {
	slices.SortFunc(rows, func(x, y [3]uint32) int { return slices.Compare(x[:], y[:]) })
}
