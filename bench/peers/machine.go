package main

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"time"

	"github.com/rete-go/rete/bench/internal/machine"
)

// printMachine writes the machine, its load, and limits that are measured now.
func printMachine(w io.Writer) {
	fmt.Fprintf(w, "%s, %s/%s, %s, %d CPUs, GOMAXPROCS %d", time.Now().UTC().Format("2006-01-02 15:04 MST"),
		runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0))
	if model := machine.Model(); model != "" {
		fmt.Fprintf(w, ", %s", model)
	}
	fmt.Fprint(w, ". ")
	if load := machine.Load(); load != "" {
		fmt.Fprintf(w, "Load at the start: %s. ", load)
	}
	fmt.Fprintf(w, "Limits in this run: memory copy %.1f GB/s", copyRate())
	if d, err := roundTrip(); err == nil {
		fmt.Fprintf(w, ", loopback round trip %.0f µs", float64(d)/1e3)
	}
	fmt.Fprint(w, ".\n\n")
}

func copyRate() float64 {
	from, to := make([]byte, 64<<20), make([]byte, 64<<20)
	for i := range from {
		from[i] = byte(i) // pages that nobody wrote are one page
	}
	best := 0.0
	for range 5 {
		start := time.Now()
		n := copy(to, from)
		best = max(best, float64(n)/float64(time.Since(start).Nanoseconds()))
	}
	return best
}

// roundTrip is the median time of a byte there and back.
func roundTrip() (time.Duration, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(c, c) // until the other side closes
		c.Close()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return 0, err
	}
	defer c.Close()
	var times []time.Duration
	b := []byte{1}
	for range 1000 {
		start := time.Now()
		if _, err := c.Write(b); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(c, b); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	return median(times), nil
}
