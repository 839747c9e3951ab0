package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
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

// skipping counts lines that are skipped; nil: none is. Its file is there when the segment is.
type skipping struct {
	flags skipFlags
	count int
	first []segment.Skipped // in the order of their places
	text  *bufio.Writer     // nil: they are written nowhere
}

// errSkips is the error of more lines than may be skipped.
var errSkips = errors.New("cannot be read")

// begin checks the flags of a build of documents into out.
func (f *skipFlags) begin(cmd *cobra.Command, docs []input.Document, out string) (*skipping, error) {
	switch f.onError {
	case "skip":
	case "fail":
		return nil, flags.WithoutEffect(cmd, "without --on-error skip", "skip-limit", "skipped")
	default:
		return nil, flags.Usagef("--on-error is fail or skip, not %q", f.onError)
	}
	switch {
	case f.file == "":
	case f.file == "-":
		return nil, flags.Usagef("--skipped is the name of a file")
	case endingOfPacked(f.file) != "":
		return nil, flags.Usagef("--skipped %s: the lines are written as plain text; choose a name that does not end with %s", f.file, endingOfPacked(f.file))
	case filepath.Clean(f.file) == filepath.Clean(out) || sameFile(f.file, out):
		return nil, flags.Usagef("--skipped is the file of -o; choose another name")
	}
	for i := range docs {
		if f.file != "" && reads(&docs[i], f.file) {
			return nil, flags.Usagef("--skipped is %s, which is read; choose another name", docs[i].Name)
		}
	}
	return &skipping{flags: *f}, nil
}

func endingOfPacked(file string) string {
	_, ending := outfile.Packed(file)
	return ending
}

// keep calls do, and writes the file of what is skipped meanwhile.
func (s *skipping) keep(do func() error) error {
	if s == nil || s.flags.file == "" {
		return do()
	}
	return outfile.Whole(s.flags.file, func(w io.Writer) error {
		s.text = bufio.NewWriter(w)
		return do()
	})
}

// skip is [segment.BuildOptions].Skip.
func (s *skipping) skip(line segment.Skipped) error {
	if s.text != nil {
		fmt.Fprintf(s.text, "# %s\n%s\n", oneLine(line.Err), line.Text) // flush tells of errors
	}
	line.Text = nil
	s.first = append(s.first, line)
	slices.SortStableFunc(s.first, func(x, y segment.Skipped) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	s.first = s.first[:min(len(s.first), shownSkips)]
	if s.count++; s.flags.most > 0 && s.count > s.flags.most {
		return fmt.Errorf("more than %s %w, and --skip-limit allows no more", plural(s.flags.most, "line", "lines"), errSkips)
	}
	return nil
}

// flush writes the last lines.
func (s *skipping) flush() error {
	if s == nil || s.text == nil {
		return nil
	}
	return s.text.Flush()
}

// tell tells of the lines, after a build or one that they have ended.
func (s *skipping) tell(a *app, err error) {
	if s == nil || err != nil && !errors.Is(err, errSkips) {
		return
	}
	for _, line := range s.first {
		fmt.Fprintln(a.err, oneLine(line.Err))
	}
	switch {
	case err != nil || s.count == 0:
	case s.count == 1:
		fmt.Fprintln(a.err, "rete: 1 line was skipped")
	case s.count <= shownSkips:
		fmt.Fprintf(a.err, "rete: %d lines were skipped\n", s.count)
	default:
		fmt.Fprintf(a.err, "rete: %d lines were skipped, the first %d of which are shown\n", s.count, shownSkips)
	}
}
