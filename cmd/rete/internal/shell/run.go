package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// run runs a statement.
func (s *shell) run(ctx context.Context, text string) error {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\\\n", "\n"))
	if text == "" {
		return nil
	}
	if isCommand(text) {
		return s.command(ctx, text)
	}
	start := time.Now()
	err := s.statement(ctx, text)
	if s.timer && err == nil {
		s.say("%v", time.Since(start).Round(10*time.Microsecond))
	}
	return err
}

// statement runs a query or an update.
func (s *shell) statement(ctx context.Context, text string) error {
	q, err := s.parse(ctx, text)
	if err == nil {
		defer q.Close()
		s.last = text
		return s.query(ctx, q)
	}
	u, uerr := sparql.ParseUpdate(text, s.parseOptions())
	if uerr != nil {
		return further(err, uerr)
	}
	return s.update(ctx, text, u)
}

// parse reads a query. What it declares is there for those after it.
func (s *shell) parse(ctx context.Context, text string) (*sparql.Query, error) {
	q, err := sparql.ParseContext(ctx, text, s.parseOptions(), s.Query...)
	if err != nil {
		return nil, err
	}
	if !s.Parse.Strict {
		s.declare(q.Prefixes())
	}
	return q, nil
}

func (s *shell) parseOptions() *sparql.ParseOptions {
	opt := s.Parse
	opt.Prefixes = s.known
	return &opt
}

// on calls f with the graph as it is queried: that of the transaction, of the generation of
// .at, or the newest one.
func (s *shell) on(ctx context.Context, f func(ds dataset.Dataset) error) error {
	if s.tx != nil {
		return s.tx.on(ctx, f)
	}
	if _, err := s.db.Refresh(ctx); err != nil {
		return err
	}
	open := s.db.Snapshot
	if s.at != engine.Now {
		snap, err := s.db.At(ctx, s.at)
		if err != nil {
			return err
		}
		defer snap.Close()
		return f(snap.Dataset())
	}
	snap, err := open(ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	return f(snap.Dataset())
}

// options are those of a query whose remarks are shown.
func (s *shell) options() []sparql.Option {
	opts := append(s.Query[:len(s.Query):len(s.Query)], sparql.WithPrefixes(s.declared))
	if s.Quiet {
		return opts
	}
	return append(opts, sparql.WithNotes(func(note string) { s.say("note: %s", note) }))
}

// query shows the answer of a query.
func (s *shell) query(ctx context.Context, q *sparql.Query) error {
	format, err := s.formatOf(q)
	if err != nil {
		return err
	}
	return s.on(ctx, func(ds dataset.Dataset) error { return s.answer(ctx, ds, q, format) })
}

// answer writes the answer of a query in a format.
func (s *shell) answer(ctx context.Context, ds dataset.Dataset, q *sparql.Query, format sparql.Format) error {
	switch q.Form() {
	case sparql.FormAsk:
		yes, err := sparql.Ask(ctx, ds, q, s.options()...)
		if err != nil {
			return err
		}
		return s.Output.People(func(w io.Writer) error {
			rw := s.Output.Rows(w, format.Rows(), nil)
			if err := rw.Boolean(yes); err != nil {
				return err
			}
			return rw.Close()
		})
	case sparql.FormSelect:
		return s.rows(ctx, ds, q, format.Rows())
	}
	return s.Output.Text(func(w io.Writer) error { return sparql.WriteTo(ctx, w, format, ds, q, s.options()...) })
}

// rows writes the rows of a SELECT, and tells of cells that were cut.
func (s *shell) rows(ctx context.Context, ds dataset.Dataset, q *sparql.Query, kind results.Format) error {
	var out results.Writer
	whole := false // and not left in the pager
	err := s.Output.People(func(w io.Writer) error {
		rows, err := sparql.Select(ctx, ds, q, s.options()...)
		if err != nil {
			return err
		}
		out = s.Output.Rows(w, kind, s.known)
		err = rows.WriteTo(out)
		whole = err == nil
		return err
	})
	if t, ok := out.(results.Table); ok && whole && err == nil && s.Terminal && !s.Quiet {
		note := fmt.Sprintf("%d rows", t.Rows())
		if t.Rows() == 1 {
			note = "1 row"
		}
		if t.Cut() > 0 {
			note += "; cells were cut, .format lines shows all"
		}
		s.say("%s", note)
	}
	return err
}

// formatOf is the format of .format as far as the answer can have it, or what suits the output.
func (s *shell) formatOf(q *sparql.Query) (sparql.Format, error) {
	graph := isGraph(q)
	if format, err := parseFormat(s.format); err == nil && s.format != "" && format.IsGraph() == graph {
		return format, nil
	}
	switch {
	case graph && s.Output.Screen != nil:
		return sparql.Turtle, nil
	case graph:
		return sparql.NTriples, nil
	case s.Output.Screen != nil:
		return sparql.Text, nil
	}
	return sparql.TSV, nil
}

func isGraph(q *sparql.Query) bool {
	return q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe
}

// parseFormat returns the format with a name.
func parseFormat(word string) (sparql.Format, error) {
	if f, err := sparql.ParseFormat(word); err == nil {
		return f, nil
	}
	f, err := rdfio.ParseFormat(word)
	return sparql.GraphFormat(f), err
}

// update carries an update out, in the transaction if there is one.
func (s *shell) update(ctx context.Context, text string, u *sparql.Update) error {
	if s.at != engine.Now {
		return errors.New("an earlier generation does not change; `.at now` goes back to the current one")
	}
	if s.tx != nil {
		if err := s.tx.update(ctx, u, s.Query); err != nil {
			s.rollback()
			return fmt.Errorf("%w; the transaction was rolled back", err)
		}
		s.note("done, in the transaction")
		return nil
	}
	n, err := s.Update(ctx, text, s.known)
	if err != nil {
		return err
	}
	if n == 1 {
		s.note("1 quad changed")
	} else {
		s.note("%d quads changed", n)
	}
	return nil
}
