// Package alloctest measures what a function allocates, for tests that hold
// decoders of outside bytes to a ceiling.
package alloctest

import (
	"runtime"
	"testing"
)

// bytes returns how many bytes f allocated on the heap, whether or not they were
// freed again. Other goroutines count too, so a test that uses it does not run
// in parallel, and leaves some room.
func bytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Ceiling runs f and fails the test if it allocated more than most bytes.
func Ceiling(t testing.TB, most uint64, f func()) {
	t.Helper()
	if got := bytes(f); got > most {
		t.Errorf("%d bytes allocated, at most %d allowed", got, most)
	}
}
