package cputime

import (
	"syscall"
	"time"
)

// Process returns the CPU time of the process so far; 0 if that is not known.
func Process() time.Duration {
	var begun, ended, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(self, &begun, &ended, &kernel, &user) != nil {
		return 0
	}
	ticks := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user))) // of 100 ns each
}
