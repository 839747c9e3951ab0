//go:build !unix && !windows

package estimate

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
