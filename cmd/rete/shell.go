package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/shell"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/sparql"
)

// envHistory names the file of the shell's history.
const envHistory = "RETE_HISTORY"

func (a *app) shell() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "shell [GRAPH|FILE.rete|DOCUMENT…]",
		Short: "Query and update a graph from a prompt",
		Long: `Read queries and updates from the terminal, with history and completion, and show
their answers. Without a graph it is a new one, which is gone at the end. Statements
run when they are complete; an empty line ends one too. Commands begin with a
dot: .help lists them.

Tab completes keywords, prefixes, and the classes, predicates and IRIs of the data.
Ctrl-C ends a query, Ctrl-D the shell. What a query declares as a prefix need not be
declared again. .begin begins a transaction, which .commit keeps.

If standard input is no terminal, its statements are run up to the first error, with
which the exit code is 1. RETE_HISTORY names the file of the history; empty keeps none.`,
		Example: `  rete shell team
  rete shell people.ttl
  echo '.stats' | rete shell people.rete`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := shellArgs(cmd, args)
			if err != nil {
				return err
			}
			if err := f.allot(); err != nil {
				return err
			}
			return a.runShell(cmd, names, &f)
		},
		ValidArgsFunction: completeSources,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.base, "base", "", "base IRI of queries")
	fl.StringArrayVar(&f.prefixes, "prefix", nil, "a prefix for queries, as p=IRI; may be given again")
	fl.StringVar(&f.prefixFile, "prefixes", "", "file of PREFIX lines for queries")
	fl.BoolVar(&f.strict, "strict", false, "fill in no prefixes, and refuse LATERAL, which SPARQL 1.1 lacks")
	fl.BoolVar(&f.union, "union-default-graph", false, "let the default graph be the union of all graphs")
	fl.BoolVar(&f.wide, "wide", false, "show the cells of a table whole")
	f.memory.Register(cmd)
	f.Register(cmd)
	f.documents.register(cmd)
	a.journalFlag(cmd)
	flags.Overriding(cmd, "strict", "prefix", "prefixes")
	return cmd
}

// shellArgs are the names of a graph or of documents; none without a graph.
func shellArgs(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 && os.Getenv(envManifest) == "" {
		return nil, nil
	}
	names, rest, err := sourceArgs(cmd, args)
	if err == nil && len(rest) > 0 {
		err = flags.Usagef("%s takes a graph or documents, and %q is none; `rete query` runs one query", cmd.CommandPath(), rest[0])
	}
	return names, err
}

func (a *app) runShell(cmd *cobra.Command, names []string, f *queryFlags) error {
	ctx := cmd.Context()
	given, err := f.givenPrefixes()
	if err != nil {
		return err
	}
	from, shown, err := a.shellSource(cmd, names, f)
	if err != nil {
		return err
	}
	defer from.done()
	output := a.shows("")
	output.Wide = f.wide
	signals, _ := ctx.Value(signalsKey{}).(*signals)
	if signals == nil {
		signals = noSignals
	}
	c := shell.Config{
		Name: display.Clean(shown), Output: *output, In: a.in, Err: a.err, Quiet: a.quiet,
		Terminal: terminal.Is(a.in) && output.Screen != nil, History: historyFile(),
		Open:      func(ctx context.Context) (*rete.DB, error) { return a.open(ctx, from.name, &f.Database) },
		Interrupt: signals.onInterrupt,
		Excerpt:   texts.Excerpt,
		File:      func(name string, write func(io.Writer) error) error { return a.output(name, write) },
		Prefixes:  given, Query: a.options(f), Memory: f.budgets.Shared,
		Parse: sparql.ParseOptions{Base: f.base, Strict: f.strict, MaxBytes: int(f.budgets.Text())},
		Update: func(ctx context.Context, text string, prefixes map[string]string) (int, error) {
			if strings.HasSuffix(from.name, ".rete") {
				return 0, fmt.Errorf("%s does not change; `rete init` makes a graph of a segment or of documents, and `rete shell` without a name a new one", shown)
			}
			u := &control.Update{Base: f.base, Strict: f.strict, Text: text, Prefixes: prefixes}
			d, err := a.carryOut(ctx, from.name, &control.Change{Verb: "update", Update: u, TempDir: f.memory.Tmp, Budgets: f.budgets})
			if err != nil {
				return 0, err
			}
			return int(d.Changes), nil
		},
		Command: func(ctx context.Context, args ...string) error {
			if f.wide {
				args = append(args, "--wide")
			}
			return a.another(ctx, from.name, args)
		},
		Generation: func(ctx context.Context, db *rete.DB, text string) (int64, error) {
			var m flags.Moment
			if err := m.Set(text); err != nil {
				return 0, err
			}
			return m.Generation(ctx, db)
		},
	}
	if c.Terminal {
		defer signals.onInterrupt(nil)
	}
	return from.failed(shell.Run(ctx, c))
}

// noSignals are those of a program without a terminal.
var noSignals = new(signals)

// shellSource finds what the shell works on, and how it is shown. Without a name it is a new
// graph in a temporary folder.
func (a *app) shellSource(cmd *cobra.Command, names []string, f *queryFlags) (*source, string, error) {
	if len(names) > 0 {
		from, err := a.openSource(cmd.Context(), cmd, names, &f.documents, f.memory.Tmp)
		name := filepath.Base(strings.TrimSuffix(names[0], ".rete-manifest.json"))
		if len(names) > 1 {
			name += ", …"
		}
		return from, name, err
	}
	dir, err := os.MkdirTemp(f.memory.Tmp, "rete-shell-")
	if err != nil {
		return nil, "", err
	}
	done := func() { _ = os.RemoveAll(dir) }
	name := filepath.Join(dir, "new.rete-manifest.json")
	db, err := rete.Create(cmd.Context(), name, nil)
	if err != nil {
		done()
		return nil, "", err
	}
	return &source{name: name, done: done}, "new graph", db.Close()
}

// historyFile is the file of the history: that of RETE_HISTORY, or one in the user's folder of
// configuration.
func historyFile() string {
	if name, set := os.LookupEnv(envHistory); set {
		return name
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "rete", "history")
}

// another runs another command on a graph, with the streams of this one.
func (a *app) another(ctx context.Context, name string, args []string) error {
	if strings.HasSuffix(name, ".rete") {
		return errors.New("a segment and documents have no history")
	}
	root := (&app{in: a.in, out: a.out, err: a.err, quiet: a.quiet, noPager: a.noPager}).root()
	args = append([]string{args[0], name}, args[1:]...)
	if a.journal != "" {
		args = append(args, "--journal", a.journal)
	}
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}
