package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine"
)

// logJSON is the --json form of `rete log`.
type logJSON struct {
	Schema      int                 `json:"schema"`
	Manifest    string              `json:"manifest"`
	Generations []engine.Generation `json:"generations"` // newest first
}

func (a *app) manifestLog() *cobra.Command {
	var (
		limit        int
		asJSON, wide bool
	)
	cmd := &cobra.Command{
		Use:     "log MANIFEST",
		Short:   "List the generations, newest first",
		Example: "  rete manifest log people.rete-manifest.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if err := withHistory(name); err != nil {
				return err
			}
			db, err := a.open(cmd.Context(), name, &flags.Database{})
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.Log(cmd.Context(), limit)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(logJSON{1, name, list})
			}
			t := show.NewTable(show.Column{Name: "generation", Right: true}, show.Column{Name: "time", Last: true}, show.Column{Name: "entries", Right: true},
				show.Column{Name: "segments", Right: true}, show.Column{Name: "bytes", Right: true}, show.Column{Name: "note"})
			for _, g := range list {
				at := ""
				if g.At != nil {
					at = g.At.UTC().Format(time.RFC3339)
				}
				t.Row(g.Generation, at, g.Entries, g.Segments, grouped(uint64(g.Size)), g.Note)
			}
			if err := a.listing(wide, func(l *show.Listing) error { return l.Table(t) }); err != nil {
				return err
			}
			a.noteUnsealed(cmd.Context(), name, db)
			return nil
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "show at most this many generations (default: all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the generations as JSON")
	wideFlag(cmd, &wide, "json")
	return cmd
}

// noteUnsealed tells of what is in no generation yet, and reads no segment for it. Where the journal
// cannot be read the generations are told all the same.
func (a *app) noteUnsealed(ctx context.Context, name string, db *rete.DB) {
	if a.quiet || a.journal == "" && blob.IsRemote(name) {
		return
	}
	if c, err := db.Engine().Content(ctx); err == nil && c.Changes > 0 {
		a.note("note: %s in the journal, later than generation %d; 'rete diff' shows them, 'rete seal' makes a generation of them",
			plural(int(c.Changes), "change is", "changes are"), c.Manifest.Generation)
	}
}
