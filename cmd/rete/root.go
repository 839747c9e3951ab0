package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// app is what every command shares: the streams and the global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	quiet    bool
	logLevel string
	journal  string // of the manifest, if it is not the one beside it
	log      *slog.Logger
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	stdout := &output{w: out}
	a := &app{in: in, out: stdout, err: errw}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(stdout)
	root.SetErr(errw)
	return exitCode(root.ExecuteContext(ctx), stdout.failed(), errw)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "rete",
		Short: "RDF graphs as immutable segments under a small manifest",
		Long: `rete stores RDF quads in immutable .rete segments. A manifest, a small JSON
file, names an ordered log of segments; the graph is the fold of the log:
each entry removes its dels and then adds its adds. SPARQL runs over the fold
as one graph, and compaction turns the log into one segment.`,
		Example: `  rete build people.ttl -o people.rete
  rete manifest init people.rete-manifest.json people.rete
  rete manifest query people.rete-manifest.json 'SELECT * { ?s ?p ?o } LIMIT 5'`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkNumbers(cmd); err != nil {
				return err
			}
			return a.setLog()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on standard error")
	root.PersistentFlags().StringVar(&a.logLevel, "log-level", "", "log to standard error: debug, info, warn, error, off (default warn, off with --quiet)")
	root.AddCommand(a.build(), a.info(), a.verify(), a.dump(), a.demo(), a.query("query MANIFEST|FILE.rete [SPARQL]"), a.federate(), a.serve(),
		a.update("update MANIFEST [UPDATE]"), a.manifestLog(), a.manifestDiff(), a.manifest(), a.man())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see '%s --help'", err, cmd.CommandPath())
	})
	return root
}

// belowZero marks a flag for which a number below zero has a meaning.
const belowZero = "below-zero"

func mayBeBelowZero(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		_ = cmd.Flags().SetAnnotation(name, belowZero, []string{"true"}) // the flag is there
	}
}

// checkNumbers refuses numbers and times below zero: some flags have such a value for
// "not given", and a script that gives it has gone wrong.
func checkNumbers(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "int64", "duration":
			if f.Annotations[belowZero] == nil && strings.HasPrefix(f.Value.String(), "-") {
				err = usagef("--%s %s is below zero; see '%s --help'", f.Name, f.Value, cmd.CommandPath())
			}
		}
	})
	return err
}

func (a *app) setLog() error {
	level, word := slog.LevelWarn, a.logLevel
	if word == "" && a.quiet {
		word = "off"
	}
	switch word {
	case "off":
		a.log = slog.New(slog.DiscardHandler)
		return nil
	case "":
	default:
		if err := level.UnmarshalText([]byte(word)); err != nil {
			return usagef("--log-level is debug, info, warn, error or off, not %q", word)
		}
	}
	a.log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	return nil
}

// note prints a remark for people, unless --quiet.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// args returns a check of the number of arguments that ends with exit code 2
// and names what is wanted; max < 0 means any number.
func wantArgs(least, most int, what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && (most < 0 || len(args) <= most) {
			return nil
		}
		return usagef("%s takes %s; see '%s --help'", cmd.CommandPath(), strings.Join(what, " "), cmd.CommandPath())
	}
}
