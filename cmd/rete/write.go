package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf/prefixes"
	"github.com/rete-go/rete/sparql"
)

// printChanged prints what a write did.
func (a *app) printChanged(d *changed, asJSON bool) error {
	if asJSON {
		return a.printJSON(d)
	}
	what := "committed"
	switch {
	case d.Changed:
	case d.Unsealed > 0:
		what = fmt.Sprintf("%s in the journal, which `rete manifest seal` commits; the log stays at", plural(int(d.Unsealed), "change waits", "changes wait"))
	default:
		what = "nothing to commit, still"
	}
	_, err := fmt.Fprintf(a.out, "%s: %s generation %d, %s\n", shownGraph(d.Manifest), what, d.Generation, plural(d.Entries, "entry", "entries"))
	return err
}

func (a *app) update(use string) *cobra.Command {
	var (
		f     queryFlags
		files bool
		web   bool
		json  bool
	)
	cmd := &cobra.Command{
		Use:   use,
		Short: "Run a SPARQL update over a manifest, through its journal",
		Long: `Run a SPARQL update: all of it or nothing. Its text is the argument, the file of
-f, or standard input. The changes are synced to the journal next to the manifest
before the command ends; seal makes a segment of them. A manifest that a server
serves is updated by the server, with its memory.

The update may be about as long as --query-memory. What it changes and finds no
memory for goes to temporary files and to segments next to the manifest.`,
		Example: `  rete manifest update people.rete-manifest.json \
    'PREFIX : <http://ex/> INSERT DATA { :ann :knows :bob }'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, rest, err := graphArgs(cmd, args, 0, 1)
			if err != nil {
				return err
			}
			f.allot()
			u := &updateChange{Base: f.base, Strict: f.strict, Files: files, Web: web}
			if st, err := os.Stat(f.file); err == nil && st.Mode().IsRegular() && len(rest) == 0 {
				u.File = f.file
			} else if u.Text, err = a.queryText(rest, f.file, f.budgets.text()); err != nil {
				return err
			}
			if !f.strict {
				given, err := f.givenPrefixes()
				if err != nil {
					return err
				}
				u.Prefixes = prefixes.Set(given).Over(sparql.WellKnownPrefixes())
			}
			ctx, cancel := f.limited(cmd.Context())
			defer cancel()
			d, err := a.carryOut(ctx, name, &change{Verb: "update", Update: u, memory: &f.memory, budgets: f.budgets})
			if err != nil {
				return timedOut(ctx, err)
			}
			if json {
				return a.printJSON(d)
			}
			_, err = fmt.Fprintf(a.out, "%s: %s changed\n", shownGraph(name), plural(int(d.Changes), "quad", "quads"))
			return err
		},
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	a.journalFlag(cmd)
	fl.StringVarP(&f.file, "file", "f", "", "read the update from a file")
	fl.StringVar(&f.base, "base", "", "base IRI of the update")
	fl.StringArrayVar(&f.prefixes, "prefix", nil, "a prefix for the update, as p=IRI; may be given again")
	fl.StringVar(&f.prefixFile, "prefixes", "", "file of PREFIX lines for the update")
	fl.BoolVar(&f.strict, "strict", false, "fill in no prefixes, and refuse LATERAL, which SPARQL 1.1 lacks")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the update after this time, such as 30s (default: no limit)")
	f.memory.register(cmd)
	fl.BoolVar(&files, "load-files", false, "let LOAD open file: IRIs")
	fl.BoolVar(&web, "load-web", false, "let LOAD open http: and https: IRIs")
	fl.BoolVar(&json, "json", false, "print the result as JSON")
	overriding(cmd, "strict", "prefix", "prefixes")
	return cmd
}

func (a *app) manifestSeal() *cobra.Command {
	var c commitFlags
	cmd := &cobra.Command{
		Use:   "seal MANIFEST",
		Short: "Turn the journal into one more entry of the log",
		Long: `Make a segment of the net changes of the journal and commit it as an entry.
Without changes nothing is committed. A manifest that a server serves is sealed by
the server.`,
		Example: "  rete manifest seal people.rete-manifest.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			d, err := a.carryOut(cmd.Context(), name, &change{Verb: "seal", Note: c.note, If: c.condition()})
			if err != nil {
				return err
			}
			return a.printChanged(d, c.json)
		},
		ValidArgsFunction: completeGraphs,
	}
	c.register(cmd)
	a.journalFlag(cmd)
	return cmd
}

func (a *app) manifestRevert() *cobra.Command {
	var (
		c      commitFlags
		noSeal bool
	)
	cmd := &cobra.Command{
		Use:   "revert MANIFEST GENERATION",
		Short: "Append an entry that brings an earlier generation back",
		Long: `Append an entry with the difference to an earlier generation. History goes on:
nothing is taken out of the log. A generation is ` + momentHelp + `.`,
		Example: "  rete manifest revert people.rete-manifest.json 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, rest, err := graphArgs(cmd, args, 1, 1)
			if err != nil {
				return err
			}
			var at moment
			if err := at.Set(rest[0]); err != nil || strings.HasPrefix(rest[0], "-") {
				return usagef("%q is no generation; write %s", rest[0], momentHelp)
			}
			to, err := a.generationOf(cmd.Context(), name, &at)
			if err != nil {
				return err
			}
			d, err := a.carryOut(cmd.Context(), name, &change{Verb: "revert", To: to, NoSeal: noSeal, Note: c.note, If: c.condition()})
			if err != nil {
				return err
			}
			return a.printChanged(d, c.json)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&noSeal, "no-seal", false, "fail rather than seal the journal first")
	c.register(cmd)
	a.journalFlag(cmd)
	return cmd
}

// generationOf is the generation of a graph that a moment names now. Where that takes no look
// at the graph, it is not opened.
func (a *app) generationOf(ctx context.Context, name string, at *moment) (int64, error) {
	if !at.back && at.time.IsZero() {
		return at.number, nil
	}
	db, err := a.open(ctx, name, &dbFlags{})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return at.generation(ctx, db)
}

func (a *app) manifestGC() *cobra.Command {
	var (
		opt          engine.CollectOptions
		asJSON, wide bool
	)
	cmd := &cobra.Command{
		Use:   "gc MANIFEST",
		Short: "Delete the files that no retained generation needs, in two steps",
		Long: `Show what no retained generation needs. With --yes mark it; a later run with --yes
deletes what was marked, once the generation has moved on and the grace period has
passed.

Only files that commits of this manifest made are ever deleted, and nothing that
another manifest in the folder needs, whatever its name is: it is shown as kept. A
manifest that cannot be read stops the deletion. Manifests in other folders are not
seen: keep those that share segments in one folder.`,
		Example: `  rete manifest gc people.rete-manifest.json --keep 10
  rete manifest gc people.rete-manifest.json --keep 10 --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if err := withHistory(name); err != nil {
				return err
			}
			db, err := a.open(cmd.Context(), name, &dbFlags{})
			if err != nil {
				return err
			}
			defer db.Close()
			opt.Grace = max(opt.Grace, 1) // 0 is not given to the engine
			got, err := db.Collect(cmd.Context(), &opt)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(got)
			}
			return a.printCollection(got, wide)
		},
		ValidArgsFunction: completeGraphs,
	}
	a.journalFlag(cmd)
	fl := cmd.Flags()
	fl.IntVar(&opt.Keep, "keep", 0, "generations that stay, the current one included (default: all)")
	fl.DurationVar(&opt.OlderThan, "older-than", 0, "let only generations go that are older, such as 168h")
	fl.DurationVar(&opt.Grace, "grace", 24*time.Hour, "time between the mark and the deletion")
	fl.BoolVar(&opt.Yes, "yes", false, "mark and delete; without it nothing is changed")
	fl.BoolVar(&asJSON, "json", false, "print the result as JSON")
	wideFlag(cmd, &wide, "json")
	return cmd
}

func (a *app) printCollection(c *engine.Collection, wide bool) error {
	return a.listing(wide, func(l *show.Listing) error {
		if len(c.Files)+len(c.Kept) > 0 {
			t := show.NewTable(show.Column{Name: "file", Middle: true}, show.Column{Name: "bytes", Right: true}, show.Column{Name: "state"})
			for _, f := range c.Files {
				t.Row(f.Name, grouped(uint64(f.Size)), f.State)
			}
			for _, k := range c.Kept {
				why := "kept: " + k.For + " names it"
				if k.Reason != "named" {
					why = "kept: it may be of " + k.For + ", a graph of the same name"
				}
				t.Row(k.Name, grouped(uint64(k.Size)), why)
			}
			if err := l.Table(t); err != nil {
				return err
			}
		}
		mode := ""
		if len(c.Kept) > 0 {
			mode = fmt.Sprintf(", %s kept for other manifests (%s bytes)", plural(len(c.Kept), "file", "files"), grouped(uint64(c.KeptBytes)))
		}
		if c.DryRun {
			mode += "; nothing was changed, --yes does it"
		}
		return l.Printf("generation %d, oldest kept %d: %s marked, %s deleted (%s bytes), %s bytes wait, %s bytes live%s\n",
			c.Generation, c.Oldest, plural(c.Marked, "file", "files"), plural(c.Deleted, "file", "files"),
			grouped(uint64(c.DeletedBytes)), grouped(uint64(c.GarbageBytes)), grouped(uint64(c.LiveBytes)), mode)
	})
}

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

A manifest that was edited, formatted or damaged since rete wrote it is read by no
other command. For such a one fsck shows what differs from the archived manifest of
the generation before it; --accept-manifest checks every segment that it names and
commits it, as it is, as a new generation.`,
		Example: `  rete manifest fsck people.rete-manifest.json --repair
  rete manifest fsck people.rete-manifest.json --drop-tail
  rete manifest fsck people.rete-manifest.json --accept-manifest`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			b := a.progress("checking", -1)
			opt.Progress = b.describe
			r, err := engine.Check(cmd.Context(), name, &opt, &engine.Options{Journal: a.journal, Logger: a.log})
			b.done()
			if err != nil {
				return err
			}
			r.Manifest = name
			for i := range r.Findings {
				f := &r.Findings[i]
				f.Object, f.Problem = shown(f.Object), shown(f.Problem)
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
