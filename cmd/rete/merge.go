package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

func (a *app) merge() *cobra.Command {
	var f buildFlags
	cmd := &cobra.Command{
		Use:   "merge FILE.rete… -o OUT.rete",
		Short: "Make one segment of several",
		Long: `Write one segment that holds the quads of all segments given. Their order makes
no difference to the result. A blank node with the same label in two of them is
one node: segments that were built from different documents share none, unless
--keep-labels was given.

Segments are merged as they are, without parsing or sorting: a large set of
documents can be built in parts, on several machines.`,
		Example: `  rete merge people.rete companies.rete -o all.rete
  rete merge people.rete companies.rete -o all.rete --memory 1GiB`,
		Args:              wantArgs(1, -1, "one or more segments"),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runMerge(cmd.Context(), args, &f) },
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "file to write (required)")
	f.writing(cmd)
	fl.BoolVar(&f.force, "force", false, "replace a file even if a manifest next to it names it, or it belongs to one")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	return cmd
}

// foldCache is enough of a cache to read segments once from their beginning to their end.
const foldCache = 8 << 20

func (a *app) runMerge(ctx context.Context, names []string, f *buildFlags) error {
	if !strings.HasSuffix(f.out, ".rete") {
		return flags.Usagef("merge needs -o OUT.rete, a name that ends with .rete")
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".rete") {
			return flags.Usagef("merge takes segments, and the name of %s does not end with .rete; `rete build` reads documents, `rete compact` folds a graph", name)
		}
	}
	put, err := f.put(ctx)
	if err != nil {
		return err
	}
	build, err := f.options()
	if err != nil {
		return err
	}
	opt := compaction.Options{WriterOptions: build.WriterOptions, Workers: build.Workers}
	opt.Made = a.notePart
	if opt.MaxMemory, err = f.bound(); err != nil {
		return err
	}
	cache := engine.NewCache(foldCache)
	run := make([]compaction.Entry, len(names))
	for i, name := range names {
		s, err := openSegment(ctx, name, cache)
		if err != nil {
			return err
		}
		defer s.Close()
		known, err := s.Prefixes(ctx)
		if err != nil {
			return err
		}
		opt.Prefixes = prefixes.Set(opt.Prefixes).Joined(known)
		run[i].Adds = segment.FileOf(s)
	}
	start := time.Now()
	b := a.progress("merging")
	defer b.Done()
	opt.Progress = b.Folding
	var built *segment.Built
	err = put(f.out, func(w io.Writer) (err error) {
		built, err = compaction.Adds(ctx, run, w, &opt)
		return err
	})
	if err != nil {
		return err
	}
	b.Done()
	return a.printBuilt(f.out, built, time.Since(start), f.json)
}
