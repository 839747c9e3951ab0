package cores

import (
	"runtime"
	"sync/atomic"
)

// Machine is cores that the goroutines of queries share.
type Machine struct {
	cores int          // 0: GOMAXPROCS
	busy  atomic.Int64 // goroutines that work on queries
}

// process has the cores of this process.
var process Machine

// NewMachine returns a machine of the given number of cores, whatever this one has.
func NewMachine(cores int) *Machine { return &Machine{cores: cores} }

// Enter and Leave enclose the work of a query's own goroutine, so that the other
// queries know of it: they use more goroutines only where cores are idle.
func Enter() { process.busy.Add(1) }

// Leave ends what Enter began.
func Leave() { process.leave() }

func (m *Machine) most() int64 {
	if m.cores > 0 {
		return int64(m.cores)
	}
	return int64(runtime.GOMAXPROCS(0))
}

func (m *Machine) leave() { m.busy.Add(-1) }

// acquire takes a core for one more goroutine; false if none is idle.
func (m *Machine) acquire() bool {
	most := m.most()
	for {
		n := m.busy.Load()
		if n >= most {
			return false
		}
		if m.busy.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives the core of a goroutine back if there are more goroutines than
// cores; then it has to end.
func (m *Machine) release() bool {
	most := m.most()
	for {
		n := m.busy.Load()
		if n <= most {
			return false
		}
		if m.busy.CompareAndSwap(n, n-1) {
			return true
		}
	}
}
