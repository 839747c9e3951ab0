package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
)

// Exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitCheck  = 3
)

// usageError is wrong use of the command line: it ends with exit code 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errCheck ends a command whose check ran and did not hold (exit code 3). What
// did not hold has been printed already.
var errCheck = errors.New("check did not hold")

// exitCode prints err as one line and returns the code to exit with. A closed
// pipe on standard output is no error: the reader had enough.
func exitCode(err error, stderr io.Writer) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.Is(err, errCheck):
		return exitCheck
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "rete: %s\n", oneLine(err))
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "rete: interrupted; nothing was committed")
		return exitFailed
	default:
		fmt.Fprintf(stderr, "rete: %s\n", err)
		return exitFailed
	}
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", " ") }
