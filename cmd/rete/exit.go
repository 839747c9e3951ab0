package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitCheck  = 3
)

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
	var usage flags.UsageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errCheck):
		return exitCheck
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "rete: %s\n", oneLine(err))
		return exitUsage
	default:
		fmt.Fprintf(stderr, "rete: %s%s\n", oneLine(err), turtleHint(err))
		printExcerpt(stderr, err)
		if by := (signalError{}); errors.As(err, &by) {
			return by.code()
		}
		return exitFailed
	}
}

// turtleHint returns what to do about a document that its name says is of lines, and that has a directive of
// Turtle, or begins like one.
func turtleHint(err error) string {
	var bad *rdf.SyntaxError
	if !errors.As(err, &bad) || !strings.HasPrefix(bad.Expected, "a subject") || bad.Column != 1 ||
		bad.Found != "'@'" && (bad.Line > 1 || !slices.Contains([]string{"'P'", "'B'", "'p'", "'b'", "'['", "'('", "':'"}, bad.Found)) {
		return ""
	}
	switch rdfio.FormatOf(bad.File) {
	case rdfio.NTriples:
		return "; it looks like Turtle: --format turtle reads it, or a name in .ttl"
	case rdfio.NQuads:
		return "; it looks like TriG: --format trig reads it, or a name in .trig"
	}
	return ""
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
	return texts.Shown(strings.Join(lines, "; "))
}

// signalError is the end of a command by a signal.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string { return "interrupted" }

// code is the exit code of shells for the signal: 128 and its number.
func (e signalError) code() int {
	if s, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return exitFailed
}

// commits marks a command that commits to a manifest and does nothing else.
const commits = "commits"

// committing marks commands.
func committing(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{commits: "true"}
	return cmd
}

// interrupted turns the error of a command that a signal ended into what is known of its
// outcome. An error that has nothing to do with it stays.
func interrupted(ctx context.Context, cmd *cobra.Command, err error) error {
	var by signalError
	if err == nil || !errors.As(context.Cause(ctx), &by) || !errors.Is(err, context.Canceled) && !errors.As(err, &by) {
		return err
	}
	switch {
	case errors.Is(err, rete.ErrUnknownOutcome):
		return fmt.Errorf("%w: %w", by, err)
	case cmd != nil && cmd.Annotations[commits] != "":
		return fmt.Errorf("%w; nothing was committed", by)
	}
	return by
}

// printExcerpt prints the line that an error is about.
func printExcerpt(w io.Writer, err error) {
	for line := range strings.Lines(texts.Excerpt(err)) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
}
