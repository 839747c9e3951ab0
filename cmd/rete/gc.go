package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
)

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

Only files that commits of this manifest made are ever deleted, with the hash trees
of its segments, and nothing that another manifest in the folder needs, whatever its
name is: it is shown as kept. A manifest that cannot be read stops the deletion.
Manifests in other folders are not seen: keep those that share segments in one
folder.

In a bucket, large segments go up in parts. An upload that was begun longer than --grace
ago and has not ended is that of a writer that was killed: it is aborted, which
takes no mark. Where the bucket does not let them be listed there is a warning.`,
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
			opt.Grace = max(opt.Grace, 1) // 0 is not given to the engine
			got, err := a.collect(cmd.Context(), name, &opt)
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

// collect collects, and tells what could not be done.
func (a *app) collect(ctx context.Context, name string, opt *engine.CollectOptions) (*engine.Collection, error) {
	db, err := a.open(ctx, name, &flags.Database{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	got, err := db.Engine().Collect(ctx, opt)
	if err != nil {
		return nil, err
	}
	for _, w := range got.Warnings {
		a.note("rete: warning: %s", texts.Shown(w))
	}
	return got, nil
}

func (a *app) printCollection(c *engine.Collection, wide bool) error {
	return a.listing(wide, func(l *show.Listing) error {
		if len(c.Files)+len(c.Kept) > 0 {
			t := show.NewTable(show.Column{Name: "file", Middle: true}, show.Column{Name: "bytes", Right: true}, show.Column{Name: "state"})
			for _, f := range c.Files {
				size := grouped(uint64(f.Size))
				if f.Kind == "upload" {
					size = "an upload"
				}
				t.Row(f.Name, size, f.State)
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
