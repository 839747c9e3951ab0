package dataset

// Distant is a Dataset that may be read over a network: what it is asked for together then
// costs one wait, and what it is asked for one after another a wait each.
type Distant interface {
	// Distant reports whether it is.
	Distant() bool
}
