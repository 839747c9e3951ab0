package main

import (
	"github.com/spf13/cobra"
)

func (a *app) manifest() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "manifest",
		Short: "Make, read and change the log of segments that is a graph",
		Long: `A manifest is a small JSON file that names an ordered log of segments. The
graph is the fold of the log: each entry removes its dels, then adds its adds.`,
		Example: `  rete manifest init people.rete-manifest.json people.rete
  rete manifest add people.rete-manifest.json --adds new.ttl --dels obsolete.nt
  rete manifest status people.rete-manifest.json --count`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(committing(a.initCommand(false)), committing(a.manifestAdd()), a.manifestStatus(), a.query("query MANIFEST [SPARQL]", manifestQueryExample), committing(a.update("update MANIFEST [UPDATE]")),
		a.manifestLog(), a.manifestDiff(), committing(a.manifestRevert()), committing(a.manifestSeal()), committing(a.manifestCompact()), a.manifestGC(), a.manifestFsck())
	return cmd
}

// manifestQueryExample is that of `rete manifest query`.
const manifestQueryExample = `  rete manifest query people.rete-manifest.json 'SELECT ?n { ?p foaf:name ?n } LIMIT 10'
  rete manifest query people.rete-manifest.json --at 12 'ASK { ?s ?p ?o }'`
