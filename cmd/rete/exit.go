package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
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

// exitCode prints err as one line and returns the code to exit with. out is the
// error of standard output: a closed pipe is none, since the reader had enough;
// any other is an error also of a command that did not look.
func exitCode(err, out error, stderr io.Writer) int {
	closed := errors.Is(out, syscall.EPIPE)
	if closed && errors.Is(err, out) {
		err = nil
	}
	if err == nil && !closed {
		err = out
	}
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errCheck):
		return exitCheck
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "rete: %s\n", oneLine(err))
		return exitUsage
	default:
		fmt.Fprintf(stderr, "rete: %s\n", oneLine(err))
		printExcerpt(stderr, err)
		if by := (signalError{}); errors.As(err, &by) {
			return by.code()
		}
		return exitFailed
	}
}

// oneLine joins the lines of an error, each once: what was closed after a failed
// write tells of the same failure.
func oneLine(err error) string {
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return shown(strings.Join(lines, "; "))
}
