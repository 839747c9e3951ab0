package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
)

// app is what every command shares: the streams and the global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	quiet    bool
	noPager  bool
	logLevel string
	journal  string // of the manifest, if it is not the one beside it
	missed   bool   // that the journal is not there was noted
	log      *slog.Logger
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	stdout, stderr := newOutput(out), newOutput(errw)
	a := &app{in: in, out: stdout, err: stderr}
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return exitCode(interrupted(ctx, cmd, err), stdout.failed(), stderr)
}

func (a *app) root() *cobra.Command {
	var version, asJSON bool
	root := &cobra.Command{
		Use:   "rete",
		Short: "RDF graphs as immutable segments under a small manifest",
		Long: `rete stores RDF quads in immutable .rete segments. A manifest, a small JSON
file, names an ordered log of segments; the graph is the fold of the log:
each entry removes its dels and then adds its adds. SPARQL runs over the fold
as one graph, and compaction turns the log into one segment.

` + readable + `

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a check ran and did not hold, 130
and 143 ended by Ctrl-C and SIGTERM.`,
		Example: `  rete build people.ttl -o people.rete
  rete manifest init people.rete-manifest.json people.rete
  rete manifest query people.rete-manifest.json 'SELECT * { ?s ?p ?o } LIMIT 5'`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFlags(cmd); err != nil {
				return err
			}
			return a.setLog()
		},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case version:
				return a.printVersion(asJSON)
			case asJSON:
				return usagef("--json goes with --version; see 'rete --help'")
			}
			return cmd.Help()
		},
	}
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on standard error")
	root.PersistentFlags().BoolVar(&a.noPager, "no-pager", false, "on a terminal: show long answers at once, and not through PAGER")
	root.PersistentFlags().StringVar(&a.logLevel, "log-level", "", "log to standard error: debug, info, warn, error, off (default warn, off with --quiet)")
	root.AddCommand(a.build(), a.info(), a.verify(), a.dump(), a.demo(), a.query("query MANIFEST|FILE.rete [SPARQL]"), a.stats(), a.federate(), a.serve(),
		committing(a.update("update MANIFEST [UPDATE]")), a.manifestLog(), a.manifestDiff(), a.manifest(), a.backup(), a.restore(), a.man(), a.version())
	root.Flags().BoolVar(&version, "version", false, "say which version this is, and which formats it reads and writes")
	root.Flags().BoolVar(&asJSON, "json", false, "with --version: print JSON")
	root.SetFlagErrorFunc(flagError)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	a.completion(root)
	onlyOnce(root)
	return root
}

func (a *app) setLog() error {
	word := a.logLevel
	if word == "" && a.quiet {
		word = "off"
	}
	level := slog.LevelWarn
	if word != "" {
		var err error
		if level, err = parseLogLevel(word); err != nil {
			return err
		}
	}
	a.log = slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
	return nil
}

// logOff is a level that no event has.
const logOff = slog.Level(100)

func parseLogLevel(word string) (level slog.Level, err error) {
	if word == "off" {
		return logOff, nil
	}
	if err := level.UnmarshalText([]byte(word)); err != nil {
		return level, usagef("--log-level is debug, info, warn, error or off, not %q", word)
	}
	return level, nil
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
