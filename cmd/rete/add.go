package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/engine"
)

// addFlags are those of `add`.
type addFlags struct {
	inputFlags
	adds, dels []string
	noSeal     bool
	commit     flags.Commit
}

func (f *addFlags) registerAdd(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.dels, "dels", nil, "segment or document of the quads to delete; may be given again")
	fl.BoolVar(&f.noSeal, "no-seal", false, "fail rather than seal the journal first")
	f.register(cmd, "format", "f")
	f.commit.Register(cmd)
}

func (a *app) add() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:   "add GRAPH [DOCUMENT|FILE.rete]… [--dels DOCUMENT|FILE.rete]…",
		Short: "Add documents to a graph, and delete the quads of others",
		Long: `Append one entry to the log of a graph: the quads of --dels go, then those of the
documents come. Blank node labels in a document to delete name the nodes that have them;
those in a document to add are the document's own.

` + namedInputs + "\n\n" + readable,
		Example: `  rete add team new.ttl 'june/*.nq' --dels obsolete.nt
  rete add team fix.nq --note 'typo in a name'
  rete add team staff.ttl --graph http://example.org/staff`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, inputs, err := graphAndInputs(cmd, args)
			if err != nil {
				return err
			}
			f.adds = inputs
			if len(inputs)+len(f.dels) == 0 {
				return flags.Usagef("add needs documents to add, --dels, or both; see '%s --help'", cmd.CommandPath())
			}
			return a.runAdd(cmd, name, &f, shownGraph(name) != name)
		},
		ValidArgsFunction: completeSources,
	}
	f.registerAdd(cmd)
	a.journalFlag(cmd)
	return cmd
}

func (a *app) manifestAdd() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:   "add MANIFEST [--adds FILE]… [--dels FILE]…",
		Short: "Append one entry to the log",
		Long: `Append one entry: the quads of --dels go, then those of --adds come. Each is a
.rete segment or an RDF document, which is built on the way. Both may be given
again: the quads of several files come into one segment of that one entry. Blank
node labels in a document to delete name the nodes that have them; those in a
document to add are the document's own.

` + readable,
		Example: `  rete manifest add people.rete-manifest.json --adds new.ttl --dels obsolete.nt
  rete manifest add people.rete-manifest.json --adds may.nq --adds june.nq
  rete manifest add people.rete-manifest.json --adds fix.nq --note 'typo in a name'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if len(f.adds)+len(f.dels) == 0 {
				return flags.Usagef("add needs --adds, --dels or both")
			}
			return a.runAdd(cmd, name, &f, false)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().StringArrayVar(&f.adds, "adds", nil, "segment or document of the quads to add; may be given again")
	f.registerAdd(cmd)
	a.journalFlag(cmd)
	return cmd
}

// runAdd appends an entry. With inside segments from elsewhere are copied to the manifest.
func (a *app) runAdd(cmd *cobra.Command, name string, f *addFlags, inside bool) error {
	inputs := slices.Concat(f.adds, f.dels)
	if slices.Contains(f.adds, "-") && slices.Contains(f.dels, "-") {
		return flags.Usagef("standard input can be added or deleted, not both")
	}
	if err := onceStandardInput(inputs); err != nil {
		return err
	}
	if err := onlyDocuments(cmd, inputs, "format", "base", "graph"); err != nil {
		return err
	}
	var step engine.Step
	var err error
	if step.Adds, err = a.sources(f.adds, &f.inputFlags); err != nil {
		return err
	}
	if step.Dels, err = a.sources(f.dels, &f.inputFlags); err != nil {
		return err
	}
	d, err := a.carryOut(cmd.Context(), name, &control.Change{Verb: "add", Step: step, Inside: inside, NoSeal: f.noSeal, Note: f.commit.Note, If: f.commit.Condition()})
	if err != nil {
		return err
	}
	return a.printChanged(d, f.commit.JSON)
}
