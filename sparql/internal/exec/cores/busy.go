package cores

import (
	"runtime"
	"sync/atomic"
)

// busy is the number of goroutines of this process that work on queries.
var busy atomic.Int64

// Enter and Leave enclose the work of a query's own goroutine, so that the other
// queries know of it: they use more goroutines only where cores are idle.
func Enter() { busy.Add(1) }

// Leave ends what Enter began.
func Leave() { busy.Add(-1) }

// Idle reports whether there seems to be a core for one more goroutine.
func Idle() bool { return busy.Load() < int64(runtime.GOMAXPROCS(0)) }

// acquire takes a core for one more goroutine; false if none is idle.
func acquire() bool {
	most := int64(runtime.GOMAXPROCS(0))
	for {
		n := busy.Load()
		if n >= most {
			return false
		}
		if busy.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives the core of a goroutine back if there are more goroutines than
// cores; then it has to end.
func release() bool {
	most := int64(runtime.GOMAXPROCS(0))
	for {
		n := busy.Load()
		if n <= most {
			return false
		}
		if busy.CompareAndSwap(n, n-1) {
			return true
		}
	}
}
