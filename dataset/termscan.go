package dataset

import "context"

// TermScan is a Dataset that goes through its dictionary.
type TermScan interface {
	// ScanTerms calls use for one stretch after the other of the ids from r.Lo to
	// r.Hi: surface k of t, lo <= k < hi, is that of the id first+k. use may not change
	// t nor keep it; its error ends the scan. Ids that nothing in the data has may be
	// among them; the range must be one of [Dataset.Ranges].
	ScanTerms(ctx context.Context, r IDRange, use func(first ID, t *Terms, lo, hi int) error) error
}
