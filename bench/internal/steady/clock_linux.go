package steady

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// now reads the clocks.
func now() moment {
	m := moment{delay: delay()}
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) == nil {
		m.cpu = time.Duration(t.Nano())
	}
	m.wall = time.Now()
	return m
}

// monitor is the thread of the runtime's monitor, which runs and waits beside the goroutines.
var monitor = second(threads(), os.Getpid())

// second returns the thread that was started after the first one: the runtime starts its monitor before
// any other. Numbers may begin again at the lowest.
func second(list []int, first int) int {
	slices.Sort(list)
	at, found := slices.BinarySearch(list, first)
	if !found || len(list) < 2 {
		return 0
	}
	return list[(at+1)%len(list)]
}

// threads are those of this process.
func threads() (list []int) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil // the system does not tell
	}
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, id)
		}
	}
	return list
}

// delay is how long the threads of this process, but for the monitor, have waited for a processor
// while they were ready to run; 0 if the system does not tell.
func delay() (sum time.Duration) {
	for _, id := range threads() {
		if id == monitor {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", id))
		if err != nil {
			continue // it has ended
		}
		if f := bytes.Fields(text); len(f) > 1 {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64) // 0 if it does not parse
			sum += time.Duration(n)
		}
	}
	return sum
}
