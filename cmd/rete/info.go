package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) info() *cobra.Command {
	var asJSON, wide bool
	cmd := &cobra.Command{
		Use:   "info FILE.rete|MANIFEST",
		Short: "Show what a segment or a manifest says of itself",
		Long: `Show a segment's header and sections, or a manifest's log, and what is known of
the data: title, licence, counts, vocabulary. Nothing is checked: see verify and
manifest status.`,
		Example: "  rete info people.rete",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, ".rete") {
				return a.runInfoSegment(cmd.Context(), name, asJSON, wide)
			}
			return a.runInfoManifest(cmd.Context(), name, asJSON, wide)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	wideFlag(cmd, &wide, "json")
	return cmd
}
