package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
)

// app is what every command shares: the streams and the global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	quiet    bool
	noPager  bool
	logLevel string
	journal  string // of the manifest, if it is not the one next to it
	missed   bool   // that the journal is not there was noted
	log      *slog.Logger
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	stdout, stderr := terminal.NewStream(out), terminal.NewStream(errw)
	a := &app{in: in, out: stdout, err: stderr}
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return exitCode(interrupted(ctx, cmd, err), stdout.Failed(), stderr)
}

func (a *app) root() *cobra.Command {
	var version, asJSON bool
	root := &cobra.Command{
		Use:   "rete",
		Short: "RDF graphs as immutable segments under a small manifest",
		Long: `rete stores RDF and answers SPARQL. It reads documents as they are, or keeps a graph: a
folder of immutable .rete segments and a manifest, a small JSON file that names an ordered
log of them. The graph is the fold of the log: each entry removes its dels and then adds its
adds. Every generation stays readable.

Where a GRAPH is wanted, give its folder or its manifest.

` + readable + `

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a check ran and did not hold, 130
and 143 ended by Ctrl-C and SIGTERM.`,
		Example: `  rete query people.ttl 'SELECT * { ?s ?p ?o } LIMIT 5'
  rete init notes people.ttl companies.trig
  rete update notes 'INSERT DATA { <http://example.org/dan> foaf:name "Dan" }'
  rete log notes`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.CheckArguments(cmd, args); err != nil {
				return err
			}
			if err := flags.Check(cmd); err != nil {
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
				return flags.Usagef("--json goes with --version; see 'rete --help'")
			}
			return cmd.Help()
		},
	}
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on standard error")
	root.PersistentFlags().BoolVar(&a.noPager, "no-pager", false, "on a terminal: show long answers at once, and not through PAGER")
	root.PersistentFlags().StringVar(&a.logLevel, "log-level", "", "log to standard error: debug, info, warn, error, off (default warn, off with --quiet)")
	a.addCommands(root)
	root.Flags().BoolVar(&version, "version", false, "say which version this is, and which formats it reads and writes")
	root.Flags().BoolVar(&asJSON, "json", false, "with --version: print JSON")
	root.SetFlagErrorFunc(flags.Invalid)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	a.completion(root)
	flags.OnlyOnce(root)
	return root
}

// queryExample is that of `rete query`.
const queryExample = `  rete query people.ttl 'SELECT ?n { ?p foaf:name ?n } LIMIT 10'
  rete query people.ttl companies.trig -f report.rq
  rete query team -f report.rq -o report.csv
  rete query team --at ~1 'ASK { ?s ?p ?o }'
  rete query people.rete --analyze -f report.rq`

// addCommands adds the commands, those of daily work first.
func (a *app) addCommands(root *cobra.Command) {
	root.AddGroup(&cobra.Group{ID: "daily", Title: "Daily work:"}, &cobra.Group{ID: "more", Title: "More commands:"})
	for id, list := range map[string][]*cobra.Command{
		"daily": {committing(a.initCommand(true)), committing(a.add()), a.query("query GRAPH|FILE.rete|DOCUMENT… [SPARQL]", queryExample), committing(shorter(a.update("update MANIFEST [UPDATE]"))),
			a.convert(), a.search(), a.stats(), a.summary(), a.card(), a.shell(), shorter(a.manifestLog()), a.serve(), shorter(a.backup())},
		"more": {a.push(), a.pull(), shorter(a.manifestDiff()), shorter(a.manifestStatus()), a.restore(), committing(shorter(a.manifestRevert())), committing(shorter(a.manifestSeal())), committing(shorter(a.manifestCompact())), shorter(a.manifestGC()), shorter(a.manifestFsck()),
			a.prefix(), shorter(a.dump()), shorter(a.info()), a.build(), a.bench(), a.estimate(), a.merge(), a.verify(), shorter(a.federate()), a.manifest(), a.demo(), a.man(), a.version()},
	} {
		for _, cmd := range list {
			cmd.GroupID = id
			root.AddCommand(cmd)
		}
	}
}

// shorter makes a command below `rete manifest` one of `rete` itself.
func shorter(cmd *cobra.Command) *cobra.Command {
	cmd.Use = strings.Replace(cmd.Use, "MANIFEST", "GRAPH", 1)
	cmd.Short = strings.Replace(cmd.Short, "a manifest", "a graph", 1)
	cmd.Example = strings.NewReplacer("rete manifest ", "rete ", "people.rete-manifest.json", "team").Replace(cmd.Example)
	return cmd
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
		return level, flags.Usagef("--log-level is debug, info, warn, error or off, not %q", word)
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
		return flags.Usagef("%s takes %s; see '%s --help'", cmd.CommandPath(), strings.Join(what, " "), cmd.CommandPath())
	}
}
