//go:build !unix && !windows

package cputime

import "time"

// Process returns 0: the CPU time is not known here.
func Process() time.Duration { return 0 }
