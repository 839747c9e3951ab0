package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
)

func (a *app) manifestRevert() *cobra.Command {
	var (
		c      flags.Commit
		noSeal bool
	)
	cmd := &cobra.Command{
		Use:   "revert MANIFEST GENERATION",
		Short: "Append an entry that brings an earlier generation back",
		Long: `Append an entry with the difference to an earlier generation. History goes on:
nothing is taken out of the log. A generation is ` + flags.MomentHelp + `.`,
		Example: "  rete manifest revert people.rete-manifest.json 12",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, rest, err := graphArgs(cmd, args, 1, 1)
			if err != nil {
				return err
			}
			var at flags.Moment
			if err := at.Set(rest[0]); err != nil || strings.HasPrefix(rest[0], "-") {
				return flags.Usagef("%q is no generation; write %s", rest[0], flags.MomentHelp)
			}
			to, err := a.generationOf(cmd.Context(), name, &at)
			if err != nil {
				return err
			}
			d, err := a.carryOut(cmd.Context(), name, &control.Change{Verb: "revert", To: to, NoSeal: noSeal, Note: c.Note, If: c.Condition()})
			if err != nil {
				return err
			}
			return a.printChanged(d, c.JSON)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&noSeal, "no-seal", false, "fail rather than seal the journal first")
	c.Register(cmd)
	a.journalFlag(cmd)
	return cmd
}

// generationOf is the generation of a graph that a moment names now. Where that takes no look
// at the graph, it is not opened.
func (a *app) generationOf(ctx context.Context, name string, at *flags.Moment) (int64, error) {
	if n, ok := at.Number(); ok {
		return n, nil
	}
	db, err := a.open(ctx, name, &flags.Database{})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return at.Generation(ctx, db)
}
