package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// command is one that begins with a dot.
type command struct {
	name, args, help string
	run              func(s *shell, ctx context.Context, arg string) error
}

// commands are all of them, in the order of help.
var commands []command

func init() {
	commands = []command{
		{"schema", "[CLASS]", "classes and predicates with their quads, or the predicates of a class", (*shell).schema},
		{"graphs", "", "the named graphs with their quads", (*shell).graphs},
		{"prefixes", "", "the prefixes that need not be declared", (*shell).listPrefixes},
		{"prefix", "P IRI", "declare a prefix for the session", (*shell).prefix},
		{"stats", "", "what is in the graph, as rete stats shows it", (*shell).stats},
		{"explain", "[QUERY]", "the plan of a query, or of the previous one", func(s *shell, ctx context.Context, arg string) error { return s.plan(ctx, arg, sparql.Explain) }},
		{"analyze", "[QUERY]", "run it, and show the plan with what was measured", func(s *shell, ctx context.Context, arg string) error { return s.plan(ctx, arg, sparql.Analyze) }},
		{"timer", "on|off", "tell how long each statement takes", (*shell).setTimer},
		{"format", "[WORD]", "of answers: table, lines, markdown, json, csv, tsv, xml, html, ttl, nt, …; none: what suits", (*shell).setFormat},
		{"at", "GENERATION|TIME|now", "query an earlier generation: its number, ~1, or a time", (*shell).setAt},
		{"diff", "G1[..G2]", "the quads in which two generations differ", func(s *shell, ctx context.Context, arg string) error { return s.other(ctx, "diff", arg) }},
		{"log", "", "the generations", func(s *shell, ctx context.Context, arg string) error { return s.other(ctx, "log", arg) }},
		{"begin", "", "begin a transaction: updates are seen by this shell alone until .commit", func(s *shell, ctx context.Context, _ string) error { return s.begin(ctx) }},
		{"commit", "", "keep what the transaction changed", func(s *shell, _ context.Context, _ string) error { return s.commit() }},
		{"rollback", "", "drop it", func(s *shell, _ context.Context, _ string) error { return s.dropChanges() }},
		{"save", "FILE", "write the answer of the previous query to a file; its name tells the format", (*shell).save},
		{"help", "", "this", (*shell).help},
		{"quit", "", "end the shell", func(s *shell, _ context.Context, _ string) error { s.quit = true; return nil }},
	}
}

// command runs a command.
func (s *shell) command(ctx context.Context, text string) error {
	name, arg, _ := strings.Cut(strings.TrimPrefix(text, "."), " ")
	if at := strings.IndexByte(name, '\n'); at >= 0 {
		name, arg = name[:at], name[at:]+" "+arg
	}
	arg = strings.TrimSpace(arg)
	for _, c := range commands {
		if c.name != name && !(name == "exit" && c.name == "quit") {
			continue
		}
		if c.args == "" && arg != "" {
			return fmt.Errorf(".%s takes no argument", c.name)
		}
		if c.args != "" && !strings.HasPrefix(c.args, "[") && arg == "" {
			return fmt.Errorf(".%s takes %s", c.name, c.args)
		}
		return c.run(s, ctx, arg)
	}
	return fmt.Errorf("there is no command .%s; .help lists them", name)
}

func (s *shell) help(context.Context, string) error {
	return s.Output.People(func(w io.Writer) error {
		for _, c := range commands {
			if _, err := fmt.Fprintf(w, "%-28s %s\n", strings.TrimSpace("."+c.name+" "+c.args), c.help); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "\nAnything else is a query or an update of SPARQL. It runs when it is complete; an empty line ends it too, and \\ at the\nend of a line goes on. Tab completes keywords, prefixes and what is in the data.\n")
		return err
	})
}

// other runs another command of the program on the graph.
func (s *shell) other(ctx context.Context, args ...string) error {
	return s.Command(ctx, slices.DeleteFunc(args, func(a string) bool { return a == "" })...)
}

func (s *shell) listPrefixes(context.Context, string) error {
	_, err := s.Output.Listing(nil, func(l *show.Listing) error { return l.Prefixes(s.known) })
	return err
}

func (s *shell) prefix(_ context.Context, arg string) error {
	name, iri, ok := strings.Cut(arg, " ")
	name, iri = strings.TrimSuffix(name, ":"), strings.Trim(strings.TrimSpace(iri), "<>")
	if !ok || !rdf.IRI(iri).Valid() {
		return errors.New(".prefix takes a prefix and an absolute IRI, such as .prefix ex http://example.org/")
	}
	if _, err := sparql.Parse("PREFIX "+name+": <"+iri+"> ASK {}", nil); err != nil {
		return fmt.Errorf("%q is no prefix", name)
	}
	s.declare(prefixes.Set{name: iri})
	return nil
}

func (s *shell) setTimer(_ context.Context, arg string) error {
	if arg != "on" && arg != "off" {
		return errors.New(".timer takes on or off")
	}
	s.timer = arg == "on"
	return nil
}

func (s *shell) setFormat(_ context.Context, arg string) error {
	if _, err := parseFormat(arg); err != nil && arg != "" {
		return fmt.Errorf("%s is no format of answers: use table, lines, markdown, json, csv, tsv, xml, html, or ttl, nt, nq, trig, rdfxml, jsonld for graphs", arg)
	}
	s.format = arg
	return nil
}

func (s *shell) setAt(ctx context.Context, arg string) error {
	if s.tx != nil {
		return errors.New("a transaction is open; .commit or .rollback ends it")
	}
	if arg == "now" {
		s.at = engine.Now
		return nil
	}
	if _, err := s.db.Refresh(ctx); err != nil {
		return err
	}
	at, err := s.Generation(ctx, s.db, arg)
	if err != nil {
		return err
	}
	snap, err := s.db.At(ctx, at) // which tells whether it is there
	if err != nil {
		return err
	}
	defer snap.Close()
	s.at = at
	s.note("queries see generation %d; .at now goes back", at)
	return nil
}

func (s *shell) dropChanges() error {
	if s.tx == nil {
		return errors.New("no transaction is open; .begin begins one")
	}
	s.rollback()
	return nil
}

// collect counts what is in the graph.
func (s *shell) collect(ctx context.Context, opt stats.Options) (out *stats.Stats, err error) {
	opt.Memory = s.Memory
	err = s.on(ctx, func(ds dataset.Dataset) error {
		out, err = stats.Collect(ctx, ds, &opt)
		return err
	})
	return out, err
}

// shownEntries is how many entries lists have.
const shownEntries = 20

func (s *shell) stats(ctx context.Context, _ string) error {
	return s.showStats(ctx, stats.Options{Top: shownEntries}, func(*stats.Stats) {})
}

func (s *shell) graphs(ctx context.Context, _ string) error {
	return s.showStats(ctx, stats.Options{Quick: true}, func(all *stats.Stats) { all.Classes, all.Predicates = stats.List{}, stats.List{} })
}

func (s *shell) schema(ctx context.Context, arg string) error {
	if arg == "" {
		return s.showStats(ctx, stats.Options{Quick: true}, func(all *stats.Stats) { all.Graphs = stats.List{} })
	}
	q, err := s.parse(ctx, "SELECT ?predicate (COUNT(*) AS ?quads) (COUNT(DISTINCT ?s) AS ?subjects) { ?s a "+arg+" ; ?predicate ?o } GROUP BY ?predicate ORDER BY DESC(?quads) ?predicate")
	if err != nil {
		return fmt.Errorf("%s is no class: write it as a query has it, such as foaf:Person", arg)
	}
	defer q.Close()
	return s.query(ctx, q)
}

// showStats shows statistics but for what only leaves out.
func (s *shell) showStats(ctx context.Context, opt stats.Options, only func(*stats.Stats)) error {
	all, err := s.collect(ctx, opt)
	if err != nil {
		return err
	}
	only(all)
	_, err = s.Output.Listing(s.known, func(l *show.Listing) error { return l.Stats(all) })
	return err
}

// plan shows the plan of a query.
func (s *shell) plan(ctx context.Context, text string, explain func(context.Context, dataset.Dataset, *sparql.Query, ...sparql.Option) (*sparql.Plan, error)) error {
	if text == "" {
		text = s.last
	}
	if text == "" {
		return errors.New("there was no query yet; give one after the command")
	}
	q, err := s.parse(ctx, text)
	if err != nil {
		return err
	}
	defer q.Close()
	s.last = text
	return s.on(ctx, func(ds dataset.Dataset) error {
		p, err := explain(ctx, ds, q, s.options()...)
		if err != nil {
			return err
		}
		return s.Output.Plan(p)
	})
}
