package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
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

// initCommand is `rete init`, and `rete manifest init`, which keeps segments where they lie and
// makes an entry of each document.
func (a *app) initCommand(short bool) *cobra.Command {
	var (
		name  string
		empty bool
		f     inputFlags
		c     commitFlags
	)
	cmd := &cobra.Command{
		Use:   "init MANIFEST [BASE…]",
		Short: "Make generation 1 of a manifest",
		Long: `Make a manifest whose log has one entry for each base: a .rete segment, which is
named where it lies, or an RDF document, which is built into a segment next to the
manifest. A manifest that exists is never replaced.

` + readable,
		Example: `  rete manifest init people.rete-manifest.json people.rete
  rete manifest init empty.rete-manifest.json --empty`,
		Args: wantArgs(1, -1, "a manifest and its bases"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := swappedInit(args); err != nil {
				return err
			}
			if !short && (len(args) == 1) != empty {
				return usagef("give at least one base, or --empty for none")
			}
			if err := onlyDocuments(cmd, args[1:], "format", "base", "graph"); err != nil {
				return err
			}
			opt := engine.InitOptions{Name: name}
			bar := a.addOptions(&opt.AddOptions, &c)
			defer bar.done()
			var err error
			if opt.Bases, err = a.bases(args[1:], &f, short); err != nil {
				return err
			}
			file, undo, err := newGraph(args[0])
			if err != nil {
				return err
			}
			opt.Inside = short && shownGraph(file) != file
			db, err := engine.Init(cmd.Context(), file, &opt, &engine.Options{Logger: a.log})
			if errors.Is(err, blob.ErrExists) {
				return fmt.Errorf("%w; a graph is never replaced: choose another name, or `rete add` to it", err)
			}
			if err != nil {
				undo()
				return err
			}
			defer db.Close()
			bar.done()
			return a.printCommit(file, db.Manifest(), true, &c)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the graph, a prefix of file names (default: from the manifest's)")
	if short {
		cmd.Use, cmd.Short = "init GRAPH [DOCUMENT|FILE.rete]…", "Make a graph, of documents or empty"
		cmd.Long = `Make a graph: a folder of that name with a manifest, which names the segments next to it.
Documents are built into one segment, and segments are copied. A GRAPH that ends with
.rete-manifest.json is the manifest itself, and needs no folder. A graph that exists is
never replaced.

` + namedInputs + "\n\n" + readable
		cmd.Example = "  rete init team people.ttl companies.trig\n  rete init notes"
		f.register(cmd, "format", "f")
	} else {
		cmd.Flags().BoolVar(&empty, "empty", false, "make an empty graph")
		f.register(cmd, "format", "f")
	}
	c.registerFirst(cmd)
	return cmd
}

// bases are the sources of a new graph, an entry each. With joined neighbouring documents are
// one.
func (a *app) bases(names []string, f *inputFlags, joined bool) (list []engine.Source, err error) {
	if err := onceStandardInput(names); err != nil {
		return nil, err
	}
	for i, name := range names {
		s, err := a.sources([]string{name}, f)
		if err != nil {
			return nil, err
		}
		document := !strings.HasSuffix(name, ".rete")
		if joined && document && i > 0 && !strings.HasSuffix(names[i-1], ".rete") {
			last := &list[len(list)-1]
			last.Parts = append(last.Parts, s.Parts...)
			continue
		}
		list = append(list, *s)
	}
	return list, nil
}

// newGraph returns the manifest of a new graph, whose folder it makes; undo removes that again.
func newGraph(name string) (file string, undo func(), err error) {
	file = input.ManifestOf(name)
	if file == name {
		return file, func() {}, nil
	}
	path, err := input.Graph(name)
	if err != nil {
		return "", nil, err
	}
	if path != name { // whatever it is called, there is one
		return path, func() {}, nil
	}
	if err := os.Mkdir(name, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return file, func() {}, nil
		}
		return "", nil, err
	}
	return file, func() { _ = os.Remove(name) }, nil
}

// addFlags are those of `add`.
type addFlags struct {
	inputFlags
	adds, dels []string
	noSeal     bool
	commit     commitFlags
}

func (f *addFlags) registerAdd(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.dels, "dels", nil, "segment or document of the quads to delete; may be given again")
	fl.BoolVar(&f.noSeal, "no-seal", false, "fail rather than seal the journal first")
	f.register(cmd, "format", "f")
	f.commit.register(cmd)
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
				return usagef("add needs documents to add, --dels, or both; see '%s --help'", cmd.CommandPath())
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
				return usagef("add needs --adds, --dels or both")
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
		return usagef("standard input can be added or deleted, not both")
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
	d, err := a.carryOut(cmd.Context(), name, &change{Verb: "add", step: step, Inside: inside, NoSeal: f.noSeal, Note: f.commit.note, If: f.commit.condition()})
	if err != nil {
		return err
	}
	return a.printChanged(d, f.commit.json)
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
