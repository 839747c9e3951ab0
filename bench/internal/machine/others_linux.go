package machine

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Others begins to watch what else the machine does, and returns a function that tells how many
// processors were busy since then, on average, with anything but this process and the children
// that it has waited for: 0.5 is half of one. It is 0 where the system does not tell.
func Others() func() float64 {
	begin, busy, own := time.Now(), busyTime(), ownTime()
	return func() float64 {
		wall := time.Since(begin)
		if busy == 0 || wall == 0 {
			return 0
		}
		return max(0, (busyTime()-busy-(ownTime()-own)).Seconds()/wall.Seconds())
	}
}

// tick is the unit of /proc/stat.
const tick = 10 * time.Millisecond

// busyTime is the time of all processors that were not idle, and of those that a hypervisor took away.
func busyTime() (sum time.Duration) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	f := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal …
	for i, s := range f {
		if i == 0 || i == 4 || i == 5 || i > 8 {
			continue
		}
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// ownTime is the processor's time of this process and of its children.
func ownTime() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
