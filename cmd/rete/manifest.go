package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/rdfio"
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
	cmd.AddCommand(committing(a.manifestInit()), committing(a.manifestAdd()), a.manifestStatus(), a.query("query MANIFEST [SPARQL]"), committing(a.update("update MANIFEST [UPDATE]")),
		a.manifestLog(), a.manifestDiff(), committing(a.manifestRevert()), committing(a.manifestSeal()), committing(a.manifestCompact()), a.manifestGC(), a.manifestFsck())
	return cmd
}

// commitFlags are the flags of every command that commits.
type commitFlags struct {
	note         string
	ifGeneration int64
	json         bool
}

func (f *commitFlags) register(cmd *cobra.Command) {
	f.registerFirst(cmd)
	cmd.Flags().Int64Var(&f.ifGeneration, "if-generation", -1, "commit only if the manifest has this generation")
}

// registerFirst is register for the first commit, which has none before it.
func (f *commitFlags) registerFirst(cmd *cobra.Command) {
	f.ifGeneration = -1
	cmd.Flags().StringVar(&f.note, "note", "", "reason, kept in the manifest")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	mayBeEmpty(cmd, "note")
}

func (f *commitFlags) options() manifest.CommitOptions {
	return manifest.CommitOptions{Note: f.note, IfGeneration: f.condition()}
}

// condition is the generation that the manifest must have; nil: any.
func (f *commitFlags) condition() *int64 {
	if f.ifGeneration < 0 {
		return nil
	}
	return &f.ifGeneration
}

func (a *app) printCommit(name string, m *manifest.Manifest, did bool, f *commitFlags) error {
	return a.printChanged(&changed{Schema: 1, Manifest: name, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit, Changed: did}, f.json)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (a *app) manifestInit() *cobra.Command {
	var (
		name  string
		empty bool
		base  string
		c     commitFlags
	)
	cmd := &cobra.Command{
		Use:   "init MANIFEST [BASE…]",
		Short: "Make generation 1 of a manifest",
		Long: `Make a manifest whose log has one entry for each base: a .rete segment, which is
named where it lies, or an RDF document, which is built into a segment beside the
manifest. A manifest that exists is never replaced.

` + readable,
		Example: `  rete manifest init people.rete-manifest.json people.rete
  rete manifest init empty.rete-manifest.json --empty`,
		Args: wantArgs(1, -1, "a manifest and its bases"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := swappedInit(args); err != nil {
				return err
			}
			if (len(args) == 1) != empty {
				return usagef("give at least one base, or --empty for none")
			}
			if err := a.onlyDocuments(cmd, args[1:], "base"); err != nil {
				return err
			}
			opt := engine.InitOptions{Name: name}
			bar := a.addOptions(&opt.AddOptions, &c)
			defer bar.done()
			for _, b := range args[1:] {
				s, err := a.source(b, rdfio.Unknown, base)
				if err != nil {
					return err
				}
				opt.Bases = append(opt.Bases, *s)
			}
			db, err := engine.Init(cmd.Context(), args[0], &opt, &engine.Options{Logger: a.log})
			if errors.Is(err, blob.ErrExists) {
				return fmt.Errorf("%w; a manifest is never replaced: choose another name, or `rete manifest add` to it", err)
			}
			if err != nil {
				return err
			}
			defer db.Close()
			bar.done()
			return a.printCommit(args[0], db.Manifest(), true, &c)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the graph, a prefix of file names (default: from the manifest's)")
	cmd.Flags().BoolVar(&empty, "empty", false, "make an empty graph")
	cmd.Flags().StringVar(&base, "base", "", "base IRI of documents (default: the file: IRI of each)")
	c.registerFirst(cmd)
	return cmd
}

// source is an input of init and add: a segment, or a document, "-" being
// standard input.
func (a *app) source(name string, format rdfio.Format, base string) (*engine.Source, error) {
	s := &engine.Source{Name: name, Format: format, Base: base}
	if !strings.HasSuffix(name, ".rete") {
		s.Reader = asStream(name)
	}
	switch {
	case name == "-" && format == rdfio.Unknown:
		return nil, usagef("standard input needs --format, one of %s", strings.Join(rdfio.Names(), ", "))
	case name == "-":
		s.Name, s.Reader = "standard input", a.in
	case base == "" && !blob.IsRemote(name):
		s.Base = fileIRI(name)
	case base == "":
		s.Base = name
	}
	return s, nil
}

// sources are the files of --adds or --dels as one source; nil of none.
func (a *app) sources(files []string, format rdfio.Format, base string) (*engine.Source, error) {
	if len(files) == 0 {
		return nil, nil
	}
	var all engine.Source
	for _, name := range files {
		s, err := a.source(name, format, base)
		if err != nil {
			return nil, err
		}
		all.Parts = append(all.Parts, *s)
	}
	return &all, nil
}

// onlyDocuments refuses flags that are for documents where all inputs are segments.
func (a *app) onlyDocuments(cmd *cobra.Command, inputs []string, flags ...string) error {
	if slices.ContainsFunc(inputs, func(name string) bool { return !strings.HasSuffix(name, ".rete") }) {
		return nil
	}
	return withoutEffect(cmd, "without a document", flags...)
}

func (a *app) manifestAdd() *cobra.Command {
	var (
		adds, dels   []string
		format, base string
		noSeal       bool
		c            commitFlags
	)
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
			inputs := slices.Concat(adds, dels)
			if len(inputs) == 0 {
				return usagef("add needs --adds, --dels or both")
			}
			if slices.Contains(adds, "-") && slices.Contains(dels, "-") {
				return usagef("standard input can be --adds or --dels, not both")
			}
			if err := onceStandardInput(inputs); err != nil {
				return err
			}
			if err := a.onlyDocuments(cmd, inputs, "format", "base"); err != nil {
				return err
			}
			f, err := parseFormat(format)
			if err != nil {
				return err
			}
			var step engine.Step
			if step.Adds, err = a.sources(adds, f, base); err != nil {
				return err
			}
			if step.Dels, err = a.sources(dels, f, base); err != nil {
				return err
			}
			d, err := a.carryOut(cmd.Context(), name, &change{Verb: "add", step: step, NoSeal: noSeal, Note: c.note, If: c.condition()})
			if err != nil {
				return err
			}
			return a.printChanged(d, c.json)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&adds, "adds", nil, "segment or document of the quads to add; may be given again")
	fl.StringArrayVar(&dels, "dels", nil, "segment or document of the quads to delete; may be given again")
	fl.StringVarP(&format, "format", "f", "", "syntax of the documents: "+strings.Join(rdfio.Names(), ", "))
	fl.StringVar(&base, "base", "", "base IRI of documents (default: the file: IRI of each)")
	fl.BoolVar(&noSeal, "no-seal", false, "fail rather than seal the journal first")
	complete(cmd, "format", rdfio.Names()...)
	c.register(cmd)
	a.journalFlag(cmd)
	cmd.ValidArgsFunction = completeGraphs
	return cmd
}

// onceStandardInput refuses to read standard input a second time: it would be empty.
func onceStandardInput(inputs []string) error {
	n := 0
	for _, name := range inputs {
		if name == "-" {
			n++
		}
	}
	if n > 1 {
		return usagef("standard input is one input, and - is given %d times", n)
	}
	return nil
}

// addOptions fills in what is done on the way. The progress display must
// be done before anything else is printed.
func (a *app) addOptions(opt *engine.AddOptions, c *commitFlags) *bar {
	b := a.progress("reading", -1)
	opt.CommitOptions = c.options()
	opt.Build.Progress = b.building
	opt.Warn = func(message string) { a.note("rete: warning: %s", message) }
	return b
}
