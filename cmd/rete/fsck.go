package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
)

func (a *app) manifestFsck() *cobra.Command {
	var (
		opt    engine.CheckOptions
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "fsck MANIFEST",
		Short: "Check everything that belongs to a manifest, and repair what is safe",
		Long: `Check the manifest and its archives, every segment of every generation, and the
journal line by line. Exit code 3 if something is damaged.

--repair does what is safe: a torn tail of the journal, a write that a crash stopped,
is saved and cut off, files that were left behind go. Nothing that was acknowledged is
touched.

--drop-tail is for a journal that is damaged, or that lacks batches which were on
disk, where there is no backup: it ends the journal before the damage. What it drops
may have been acknowledged; how much that is, is printed, and its bytes are kept in
JOURNAL.dropped-1. Without the flag fsck tells the same and changes nothing.

--retire is for a journal whose machine will not come again: its id, as fsck shows it,
goes from the manifest's list of sealed journals. Should it come all the same, it is
refused; --adopt takes over under a new id what it has that is not in the log.

A manifest that was edited, formatted or damaged since rete wrote it is read by no
other command. For such a one fsck shows what differs from the archived manifest of
the previous generation; --accept-manifest checks every segment that it names and
commits it, as it is, as a new generation.`,
		Example: `  rete manifest fsck people.rete-manifest.json --repair
  rete manifest fsck people.rete-manifest.json --drop-tail
  rete manifest fsck people.rete-manifest.json --accept-manifest`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			b := a.progress("checking")
			opt.Progress = b.Describe
			r, err := engine.Check(cmd.Context(), name, &opt, &engine.Options{Journal: a.journal, Logger: a.log})
			b.Done()
			if err != nil {
				return err
			}
			r.Manifest = name
			for i := range r.Findings {
				f := &r.Findings[i]
				f.Object, f.Problem = texts.Shown(f.Object), texts.Shown(f.Problem)
			}
			if asJSON {
				err = a.printJSON(r)
			} else {
				err = printReport(a.out, r)
			}
			if err == nil && !r.OK {
				return errCheck
			}
			return err
		},
		ValidArgsFunction: completeGraphs,
	}
	a.journalFlag(cmd)
	cmd.Flags().BoolVar(&opt.Repair, "repair", false, "repair what is safe")
	cmd.Flags().BoolVar(&opt.DropTail, "drop-tail", false, "end the journal before what is damaged or missing of it")
	cmd.Flags().BoolVar(&opt.Adopt, "adopt", false, "take over a journal that belongs to another manifest")
	cmd.Flags().StringVar(&opt.Retire, "retire", "", "give up the journal of this id, which then is refused")
	cmd.Flags().BoolVar(&opt.Accept, "accept-manifest", false, "take over a manifest that was changed since rete wrote it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// maxDifferences bounds how many differences are printed; JSON has all.
const maxDifferences = 100

func printReport(w io.Writer, r *engine.CheckReport) error {
	for _, f := range r.Findings {
		repaired := ""
		if f.Repaired {
			repaired = " (repaired)"
		}
		fmt.Fprintf(w, "%v: %s: %s%s\n", f.Severity, f.Object, f.Problem, repaired)
	}
	if r.Compared != "" {
		fmt.Fprintf(w, "what differs from %s, with what the last commit changed:\n", r.Compared)
	}
	for i, d := range r.Differences {
		if i == maxDifferences {
			fmt.Fprintf(w, "  %d more, which --json shows\n", len(r.Differences)-i)
			break
		}
		switch {
		case d.Was == nil:
			fmt.Fprintf(w, "  %s: new: %s\n", d.Path, d.Is)
		case d.Is == nil:
			fmt.Fprintf(w, "  %s: gone: %s\n", d.Path, d.Was)
		default:
			fmt.Fprintf(w, "  %s: %s, was %s\n", d.Path, d.Is, d.Was)
		}
	}
	state := "ok"
	if !r.OK {
		state = "BAD"
	}
	_, err := fmt.Fprintf(w, "%s: %s: generation %d, %s, %s, %s unsealed\n", r.Manifest, state, r.Generation,
		plural(r.Segments, "segment", "segments"), plural(r.Archives, "archive", "archives"), plural(int(r.Unsealed), "change", "changes"))
	return err
}
