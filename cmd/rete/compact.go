package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
)

// parseRun reads "A..B".
func parseRun(s string) (first, last int, ok bool) {
	a, b, _ := strings.Cut(s, "..")
	first, err := strconv.Atoi(a)
	if err != nil || first < 0 {
		return 0, 0, false
	}
	last, err = strconv.Atoi(b)
	return first, last, err == nil && last >= first
}

func (a *app) manifestCompact() *cobra.Command {
	var (
		entries string
		ch      = control.Change{Verb: "compact"}
		c       flags.Commit
		f       buildFlags
		noText  bool
	)
	cmd := &cobra.Command{
		Use:   "compact MANIFEST",
		Short: "Fold the log, or a run of entries, into one entry",
		Long: `Write one segment that holds what the log leaves visible, and commit it as the
log. The same visible quads and the same options give the same bytes, whatever
log led to them. With --entries only that run becomes one entry. Old generations
stay readable; nothing is deleted.`,
		Example: `  rete manifest compact people.rete-manifest.json
  rete manifest compact people.rete-manifest.json --entries 3..9`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if entries != "" {
				first, last, ok := parseRun(entries)
				if !ok {
					return flags.Usagef("--entries takes a run such as 3..9, not %q", entries)
				}
				ch.First, ch.Count = first, last-first+1
			}
			if entries != "" {
				if err := flags.WithoutEffect(cmd, "with --entries: a run gets no text index", "no-text-index"); err != nil {
					return err
				}
			}
			if ch.Out != "" && !strings.HasSuffix(ch.Out, ".rete") {
				return flags.Usagef("-o %s: the name of a segment ends with .rete", ch.Out)
			}
			if ch.Out != "" && ch.First == 0 {
				if err := flags.WithoutEffect(cmd, "with --out: there is one segment to write", "dir"); err != nil {
					return err
				}
			}
			f.text = !noText && entries == ""
			build, err := f.options()
			if err != nil {
				return err
			}
			build.Made, ch.NoPyramid = a.notePart, f.noPyramid
			ch.Write, ch.Worker, ch.Note, ch.If = &control.Write{WriterOptions: build.WriterOptions}, f.worker, c.Note, c.Condition()
			if build.TempDir, err = control.Absolute(f.tmp); err != nil {
				return err
			}
			ch.Scratch = int64(f.scratch)
			if f.memory > 0 {
				if ch.Memory, err = f.bound(); err != nil {
					return err
				}
				ch.Budgets.Cache = foldCache
			}
			if ch.Out, err = control.Absolute(ch.Out); err != nil {
				return err
			}
			if ch.Dir, err = control.Absolute(ch.Dir); err != nil {
				return err
			}
			d, err := a.carryOut(cmd.Context(), name, &ch)
			if err != nil {
				return err
			}
			return a.printChanged(d, c.JSON)
		},
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	fl.StringVar(&entries, "entries", "", "the run of entries to fold, counted from 0, such as 3..9 (default: all)")
	fl.StringVarP(&ch.Out, "out", "o", "", "file of the new segment, relative to the working directory (default: a new name next to the manifest)")
	fl.StringVar(&ch.Dir, "dir", "", "directory of the new segment, relative to the working directory")
	f.spilling(cmd, "256 MiB of rows, and what the terms take")
	f.orders(cmd)
	fl.StringVar(&f.level, "level", "default", "compression: fast, default, better, best")
	fl.BoolVar(&f.stored, "stored", false, "do not compress")
	fl.IntVar(&f.worker, "workers", 0, "goroutines (default: one for each processor; one, which makes way for queries, where a server does the work)")
	fl.BoolVar(&noText, "no-text-index", false, "leave out the index of words that rete search uses (a run of --entries gets none)")
	flags.Overriding(cmd, "stored", "level")
	f.parts(cmd)
	f.card.flags(cmd)
	flags.Complete(cmd, "level", "fast", "default", "better", "best")
	c.Register(cmd)
	a.journalFlag(cmd)
	return cmd
}
