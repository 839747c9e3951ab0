// Command rete builds, inspects, queries and maintains RDF graphs that are
// stored as immutable .rete segments under a small manifest.
//
// Results go to standard output, everything else to standard error. Exit codes:
// 0 done; 1 failed (I/O, data, network, query); 2 wrong usage; 3 a check ran
// and did not hold; 130 and 143 ended by Ctrl-C and SIGTERM.
package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/s3"
)

func main() { os.Exit(run()) }

// run is main with an exit code, so that the script tests can call it in
// process.
func run() int {
	blob.Register("s3", s3.New(nil))
	// Not stopped on the way out: a signal after the last word of a command would end the
	// process as if the command had been cut short.
	ctx, end := context.WithCancelCause(context.Background())
	signals := new(signals)
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	go func() {
		by := <-got
		for signals.taken(by) {
			by = <-got
		}
		signal.Stop(got) // a second signal ends the program at once
		end(signalError{by})
	}()
	// A closed pipe is then an error of the write, and exitCode knows what it means.
	signal.Ignore(syscall.SIGPIPE)
	return execute(context.WithValue(ctx, signalsKey{}, signals), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// signals lets a command take Ctrl-C, which then does not end the program.
type signals struct {
	mu        sync.Mutex
	interrupt func() // guarded by mu; nil: nobody takes it
}

// signalsKey is the key of the signals of the program in a context.
type signalsKey struct{}

// onInterrupt sets what Ctrl-C calls; nil gives it back.
func (s *signals) onInterrupt(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt = f
}

// taken reports whether a signal was taken by a command.
func (s *signals) taken(by os.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if by != os.Interrupt || s.interrupt == nil {
		return false
	}
	s.interrupt()
	return true
}
