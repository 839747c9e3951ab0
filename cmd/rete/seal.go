package main

import (
	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
)

func (a *app) manifestSeal() *cobra.Command {
	var c flags.Commit
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
			d, err := a.carryOut(cmd.Context(), name, &control.Change{Verb: "seal", Note: c.Note, If: c.Condition()})
			if err != nil {
				return err
			}
			return a.printChanged(d, c.JSON)
		},
		ValidArgsFunction: completeGraphs,
	}
	c.Register(cmd)
	a.journalFlag(cmd)
	return cmd
}
