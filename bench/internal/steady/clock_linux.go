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

// delay is how long the threads of this process, but for the runtime's monitor, have waited for
// a processor while they were ready to run; 0 if the system does not tell. The monitor, which the
// runtime starts before any other thread, runs and waits beside the goroutines.
func delay() (sum time.Duration) {
	list, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	var threads []int
	for _, e := range list {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			threads = append(threads, id)
		}
	}
	slices.Sort(threads)
	for i, id := range threads {
		if i == 1 {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", id))
		if err != nil {
			continue // it has ended
		}
		if f := bytes.Fields(text); len(f) > 1 {
			n, _ := strconv.ParseInt(string(f[1]), 10, 64) // 0 if it is no number
			sum += time.Duration(n)
		}
	}
	return sum
}
