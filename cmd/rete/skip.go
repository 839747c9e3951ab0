package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/internal/segment"
)

// skipFlags are the flags of what becomes of lines that cannot be taken.
type skipFlags struct {
	onError string
	most    int
	file    string
}

func (f *skipFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.onError, "on-error", "fail", "lines of N-Triples and N-Quads that cannot be read: fail, or skip them")
	fl.IntVar(&f.most, "skip-limit", 1000, "with --on-error skip: fail beyond this many lines; 0 for no limit")
	fl.StringVar(&f.file, "skipped", "", "with --on-error skip: file for the lines that are skipped, each after a comment that says why")
	flags.Complete(cmd, "on-error", "fail", "skip")
}

// shownSkips is how many of the lines that were skipped are shown.
const shownSkips = 10

// skipping counts lines that are skipped; nil: none is.
type skipping struct {
	flags skipFlags
	count int
	first []segment.Skipped // in the order of their places
	out   *os.File          // nil: they are written nowhere
	text  *bufio.Writer
}

func (f *skipFlags) begin(cmd *cobra.Command) (*skipping, error) {
	switch f.onError {
	case "skip":
	case "fail":
		return nil, flags.WithoutEffect(cmd, "without --on-error skip", "skip-limit", "skipped")
	default:
		return nil, flags.Usagef("--on-error is fail or skip, not %q", f.onError)
	}
	s := &skipping{flags: *f}
	if f.file != "" {
		var err error
		if s.out, err = os.Create(f.file); err != nil {
			return nil, err
		}
		s.text = bufio.NewWriter(s.out)
	}
	return s, nil
}

// skip is [segment.BuildOptions].Skip.
func (s *skipping) skip(line segment.Skipped) error {
	if s.count++; s.flags.most > 0 && s.count > s.flags.most {
		return fmt.Errorf("more than %d lines cannot be read, which --skip-limit allows; one of them: %w", s.flags.most, line.Err)
	}
	if s.text != nil {
		fmt.Fprintf(s.text, "# %s\n%s\n", oneLine(line.Err), line.Text) // Flush tells of errors
	}
	line.Text = nil
	s.first = append(s.first, line)
	slices.SortStableFunc(s.first, func(x, y segment.Skipped) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	s.first = s.first[:min(len(s.first), shownSkips)]
	return nil
}

// end writes what is left, and tells of the lines.
func (s *skipping) end(a *app) error {
	if s == nil {
		return nil
	}
	if s.out != nil {
		if err := errors.Join(s.text.Flush(), s.out.Close()); err != nil {
			return err
		}
	}
	for _, line := range s.first {
		fmt.Fprintln(a.err, oneLine(line.Err))
	}
	switch {
	case s.count == 1:
		fmt.Fprintln(a.err, "rete: 1 line was skipped")
	case s.count > 1:
		fmt.Fprintf(a.err, "rete: %d lines were skipped, the first of which are shown\n", s.count)
	}
	return nil
}
