package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
)

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
