// Command rete builds, inspects, queries and maintains RDF graphs that are
// stored as immutable .rete segments under a small manifest.
//
// Results go to standard output, everything else to standard error. Exit codes:
// 0 done; 1 failed (I/O, data, network, query); 2 wrong usage; 3 a check ran
// and did not hold.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main with an exit code, so that the script tests can call it in
// process.
func run() int {
	// Not stopped on the way out: a signal after the last word of a command would end the
	// process as if the command had been cut short.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	// A closed pipe is then an error of the write, and exitCode knows what it means.
	signal.Ignore(syscall.SIGPIPE)
	return execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
