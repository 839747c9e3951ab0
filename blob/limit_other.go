//go:build !unix

package blob

// openFileLimit is how many files the process may have open: memory alone bounds them.
func openFileLimit() uint64 { return 2 * maxHandles }
