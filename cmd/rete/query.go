package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// queryFlags are the flags of `query`.
type queryFlags struct {
	flags.Database
	documents               documentFlags
	file, format, out, base string
	name                    string // of the text, in errors
	prefixes                []string
	prefixFile              string
	strict, union           bool
	exitStatus              bool
	blankIDs                bool
	explain, analyze, json  bool
	warn, wide, time        bool
	short                   map[string]string // namespaces that shorten IRIs for people
	declared                map[string]string // prefixes that documents are written with
	at                      flags.Moment
	timeout                 time.Duration
	memory                  flags.Memory
	budgets                 flags.Budgets
}

func (a *app) query(use, example string) *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   use,
		Short: "Run a SPARQL query over a graph, or over documents",
		Long: `Run a SPARQL query over a graph, a segment, or RDF documents: files, folders, patterns
such as 'data/*.ttl', http(s) addresses, or "-" for standard input. Documents are built
into a segment, which the user's cache folder keeps for the next query of the same
content. The text of the query is the argument, the file of -f, or standard input.

A SELECT is shown as a table on a terminal and as TSV otherwise, CONSTRUCT and
DESCRIBE as Turtle or N-Triples, ASK as true or false, unless --format or the end
of the name of -o say otherwise. Prefixes that the query does not declare are filled in from --prefix, --prefixes and a short list of
well-known ones, unless --strict. SERVICE asks the endpoint that the query names.

A table on a terminal fits it: cells that are too long end with …, but for --wide; where there
is no room for a table, and with --format lines, each value has a line. IRIs are short by the prefixes of the query, of the flags,
of the graph and the well-known ones, literals are shown by their values. What is longer than the terminal goes through PAGER, or
less, unless --no-pager. NO_COLOR turns colors off. --time tells what reading, planning and the answer took.

--explain shows the plan, --analyze also runs it and shows where rows and time
went, both as JSON with --json. --warn tells of conditions in FILTER that
dropped rows because of a type error; the rows are the same.`,
		Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, rest, err := sourceArgs(cmd, args)
			if err != nil {
				return err
			}
			if err := onlyManifest(cmd, names[0], "at", "journal", "sealed-only"); err != nil {
				return err
			}
			if err := onlyTables(cmd, f.format, f.out); err != nil {
				return err
			}
			if err := f.allot(); err != nil {
				return err
			}
			text, err := a.queryText(rest, f.file, f.budgets.Text())
			f.name = texts.Name(rest, f.file, "query")
			if err != nil {
				return err
			}
			return a.runQuery(cmd, names, text, &f)
		},
		ValidArgsFunction: completeSources,
	}
	f.registerQuery(cmd)
	f.documents.register(cmd)
	a.journalFlag(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.explain, "explain", false, "show the plan and do not run it")
	fl.BoolVar(&f.analyze, "analyze", false, "run the query, drop its rows, and show the plan with what was measured")
	fl.BoolVar(&f.json, "json", false, "with --explain and --analyze: print JSON")
	fl.BoolVar(&f.time, "time", false, "tell on standard error how long it took")
	fl.BoolVar(&f.exitStatus, "exit-status", false, "exit with 3 if the answer of an ASK is false")
	fl.Var(&f.at, "at", "query an earlier generation, without the journal: "+flags.MomentHelp)
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	flags.Overriding(cmd, "explain", "analyze", "format", "exit-status", "warn", "wide")
	flags.Overriding(cmd, "analyze", "format", "exit-status", "wide")
	flags.Overriding(cmd, "at", "journal", "sealed-only")
	flags.Overriding(cmd, "sealed-only", "journal")
	return cmd
}

// registerQuery adds the flags that every command with a query has.
func (f *queryFlags) registerQuery(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.file, "file", "f", "", "read the query from a file")
	fl.StringVar(&f.format, "format", "", "of rows: "+strings.Join(rowWords, ", ")+"; of graphs: "+strings.Join(graphWords, ", "))
	fl.StringVarP(&f.out, "out", "o", "", "write to a file, which appears only when it is whole; packed if it ends in .gz or .zst")
	fl.StringVar(&f.base, "base", "", "base IRI of the query")
	fl.StringArrayVar(&f.prefixes, "prefix", nil, "a prefix for the query, as p=IRI; may be given again")
	fl.StringVar(&f.prefixFile, "prefixes", "", "file of PREFIX lines for the query")
	fl.BoolVar(&f.strict, "strict", false, "fill in no prefixes, and refuse LATERAL, which SPARQL 1.1 lacks")
	fl.BoolVar(&f.union, "union-default-graph", false, "let the default graph be the union of all graphs")
	fl.BoolVar(&f.blankIDs, "blank-node-ids", false, "let <_:label> name the blank node with that label")
	fl.BoolVar(&f.warn, "warn", false, "tell which conditions of FILTER dropped rows by a type error, how many, and the first of them")
	fl.BoolVar(&f.wide, "wide", false, "on a terminal: show the cells of a table whole")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the query after this time, such as 30s (default: no limit)")
	f.memory.Register(cmd)
	f.Register(cmd)
	flags.Overriding(cmd, "strict", "prefix", "prefixes")
	flags.Complete(cmd, "format", append(rowWords, graphWords...)...)
}

func (a *app) runQuery(cmd *cobra.Command, names []string, text string, f *queryFlags) error {
	if f.json && !f.explain && !f.analyze {
		return flags.Usagef("--json goes with --explain or --analyze; the format of an answer is --format json")
	}
	ctx, cancel := f.limited(cmd.Context())
	defer cancel()
	var watch stopwatch
	if f.time {
		watch.last = time.Now()
		defer func() { fmt.Fprintln(a.err, &watch) }()
	}
	var from *source
	var db *rete.DB
	q, format, err := a.parseFor(ctx, text, f, func() (_ map[string]string, err error) {
		watch.lap("parse")
		if from, err = a.openSource(ctx, cmd, names, &f.documents, f.memory.Tmp); err != nil {
			return nil, err
		}
		if db, err = a.open(ctx, from.name, &f.Database); err != nil {
			return nil, from.failed(err)
		}
		stored, err := db.Prefixes(ctx)
		return stored, from.failed(err)
	})
	if from != nil {
		defer from.done()
	}
	if db != nil {
		defer db.Close()
	}
	if q != nil {
		defer q.Close()
	}
	if err != nil {
		return timedOut(ctx, err)
	}
	return timedOut(ctx, from.failed(a.queryDB(ctx, db, q, format, f, &watch)))
}

// queryDB runs a query over what was opened.
func (a *app) queryDB(ctx context.Context, db *rete.DB, q *sparql.Query, format sparql.Format, f *queryFlags, watch *stopwatch) error {
	snap, err := f.at.Snapshot(ctx, db)
	if err != nil {
		return err
	}
	defer snap.Close()
	watch.lap("open")
	defer watch.lap("answer")
	if f.explain || f.analyze {
		return a.showPlan(ctx, snap, q, f)
	}
	return a.answer(ctx, snap, q, format, f)
}

// allot divides the memory of the process.
func (f *queryFlags) allot() (err error) {
	f.budgets, err = f.memory.Resolve(f.Cache)
	f.Cache = flags.Size(f.budgets.Cache)
	return err
}

// parseQuery reads the query, with the prefixes of the graph, and says how its answer is written.
func (a *app) parseQuery(ctx context.Context, text string, stored map[string]string, f *queryFlags) (*sparql.Query, sparql.Format, error) {
	given, err := f.givenPrefixes()
	if err != nil {
		return nil, sparql.Format{}, err
	}
	known := prefixes.Set(given).Over(stored)
	all := known.Over(sparql.WellKnownPrefixes())
	opt := &sparql.ParseOptions{Base: f.base, Prefixes: all, Strict: f.strict, BlankNodeIDs: f.blankIDs, MaxBytes: int(f.budgets.Text())}
	q, err := sparql.ParseContext(ctx, text, opt, f.budgets.Options(f.memory.Tmp)...)
	if err != nil {
		return nil, sparql.Format{}, texts.In(f.name, texts.NotAFile(text, err))
	}
	if f.exitStatus && q.Form() != sparql.FormAsk {
		q.Close()
		return nil, sparql.Format{}, flags.Usagef("--exit-status is for an ASK; this query has another form")
	}
	if f.strict {
		all = prefixes.Set(stored)
	}
	f.short = shortening(q, all)
	f.declared = prefixes.Set(nil).Joined(q.Prefixes()).Joined(known)
	format, err := a.outputFormat(q, f)
	return q, format, err
}

// parseFor is parseQuery for a graph or documents that are opened then. An error that the prefixes
// of these cannot mend ends it at once; they are opened by open.
func (a *app) parseFor(ctx context.Context, text string, f *queryFlags, open func() (map[string]string, error)) (*sparql.Query, sparql.Format, error) {
	q, format, early := a.parseQuery(ctx, text, nil, f)
	if early != nil && (f.strict || !undeclared(early)) {
		return nil, format, early
	}
	stored, err := open()
	if err != nil || len(stored) == 0 {
		return q, format, cmp.Or(err, early)
	}
	if q != nil {
		q.Close()
	}
	return a.parseQuery(ctx, text, stored, f)
}

// undeclared reports whether the error of a text is a prefix that nobody declares.
func undeclared(err error) bool {
	var syntax *sparql.SyntaxError
	return errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "the prefix ")
}

// limited returns a context that ends at --timeout.
func (f *queryFlags) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("the query took longer than --timeout %v", f.timeout))
}

// timedOut puts the flag in the place of the error that it led to, unless that says that the
// outcome is not known.
func timedOut(ctx context.Context, err error) error {
	if errors.Is(err, rete.ErrUnknownOutcome) {
		return err
	}
	if err != nil && ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// options are what the flags say of how the query runs.
func (a *app) options(f *queryFlags) []sparql.Option {
	opts := append(f.budgets.Options(f.memory.Tmp), sparql.HTTPService(nil, nil), sparql.WithPrefixes(f.declared))
	if f.union {
		opts = append(opts, sparql.UnionDefaultGraph())
	}
	if f.warn {
		opts = append(opts, sparql.WithWarnings(func(w sparql.Warning) { fmt.Fprintf(a.err, "rete: %s\n", w) }))
	}
	return opts
}

// showPlan prints the plan of --explain or --analyze.
func (a *app) showPlan(ctx context.Context, snap *rete.Snapshot, q *sparql.Query, f *queryFlags) error {
	run := snap.Explain
	if f.analyze {
		run = snap.Analyze
	}
	plan, err := run(ctx, q, a.options(f)...)
	if err != nil {
		return err
	}
	if o := a.shows(f.out); o.Screen != nil && !f.json {
		return o.Plan(plan)
	}
	return a.text(f.out, func(w io.Writer) error {
		if !f.json {
			_, err := io.WriteString(w, plan.String())
			return err
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(plan)
	})
}

// outputFormat is the one asked for, or what suits the form and the output.
func (a *app) outputFormat(q *sparql.Query, f *queryFlags) (sparql.Format, error) {
	if f.explain || f.analyze {
		return sparql.Text, nil
	}
	stream := outfile.IsStream(f.out)
	terminal := stream && (f.out == "" || f.out == "-") && terminal.Is(a.out)
	graph := q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe
	word := f.format
	if word == "" && !stream {
		if format, ok := formatOf(f.out, graph); ok {
			return format, nil
		}
		if _, ok := formatOf(f.out, !graph); ok {
			return sparql.Text, flags.Usagef("-o %s does not fit: the answer is %s; name another file, or the format by --format", f.out, answers(graph))
		}
		endings := results.Extensions()
		if graph {
			endings = rdfio.Extensions()
		}
		return sparql.Text, outfile.UnknownEnding(f.out, "--format", endings)
	}
	switch {
	case word == "" && graph && terminal:
		word = "ttl"
	case word == "" && graph:
		word = "nt"
	case word == "" && terminal:
		return sparql.Text, nil
	case word == "":
		word = "tsv"
	}
	format, err := sparql.ParseFormat(word)
	if err != nil {
		if rf, rerr := rdfio.ParseFormat(word); rerr == nil {
			format, err = sparql.GraphFormat(rf), nil
		}
	}
	words := rowWords
	if graph {
		words = graphWords
	}
	if err != nil {
		return format, flags.Usagef("--format %s is no format of this answer, which is %s: use %s", word, answers(graph), strings.Join(words, ", "))
	}
	if format.IsGraph() != graph {
		return format, flags.Usagef("--format %s does not fit: the answer is %s; use %s", word, answers(graph), strings.Join(words, ", "))
	}
	return format, nil
}

// The words of --format, by what the answer is.
var (
	rowWords   = []string{"table", "lines", "markdown", "json", "xml", "csv", "tsv", "html"}
	graphWords = []string{"ttl", "nt", "nq", "trig", "rdfxml", "jsonld"}
)

// answers says what a query has for an answer.
func answers(graph bool) string {
	if graph {
		return "a graph"
	}
	return "rows or a boolean"
}

// formatOf returns the format of graphs or of rows that the end of a file name tells.
func formatOf(file string, graph bool) (sparql.Format, bool) {
	if graph {
		f := rdfio.FormatOf(file)
		return sparql.GraphFormat(f), f != rdfio.Unknown
	}
	name, _ := outfile.Packed(file)
	f, ok := results.FormatOf(name)
	return sparql.RowFormat(f), ok
}

// answer runs the query and writes its answer.
func (a *app) answer(ctx context.Context, snap *rete.Snapshot, q *sparql.Query, format sparql.Format, f *queryFlags) error {
	opts := a.options(f)
	if !a.quiet {
		opts = append(opts, sparql.WithNotes(func(note string) { a.note("note: %s", note) }))
	}
	if q.Form() == sparql.FormAsk {
		return a.answerAsk(ctx, snap, q, format, opts, f)
	}
	if q.Form() == sparql.FormSelect {
		return a.answerRows(ctx, snap, q, format, opts, f)
	}
	start := time.Now()
	err := a.text(f.out, func(w io.Writer) error { return snap.WriteTo(ctx, w, format, q, opts...) })
	if err == nil && terminal.Is(a.err) && !f.time {
		a.note("%.3f s", time.Since(start).Seconds())
	}
	return err
}

// answerAsk writes the answer of an ASK: as a word, unless a format is asked for.
func (a *app) answerAsk(ctx context.Context, snap *rete.Snapshot, q *sparql.Query, format sparql.Format, opts []sparql.Option, f *queryFlags) error {
	yes, err := snap.Ask(ctx, q, opts...)
	if err != nil {
		return err
	}
	_, named := formatOf(f.out, false)
	err = a.rows(f, func(w io.Writer, rows func(io.Writer, results.Format) results.Writer) error {
		if f.format == "" && !named {
			_, err := fmt.Fprintln(w, yes)
			return err
		}
		rw := rows(w, format.Rows())
		if err := rw.Boolean(yes); err != nil {
			return err
		}
		return rw.Close()
	})
	if err == nil && f.exitStatus && !yes {
		return errCheck
	}
	return err
}
