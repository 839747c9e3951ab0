//go:build !unix

package compaction_test

import "time"

var started = time.Now()

// cpuTime returns the time of the process so far: there is no simple way to its
// CPU time here.
func cpuTime() time.Duration { return time.Since(started) }
