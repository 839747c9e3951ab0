// Package federate runs one query on several sources, each by itself, and writes their
// answers as one.
package federate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// Options are the choices of [Run]; nil stands for the defaults.
type Options struct {
	Open  *rete.Options   // how sources are opened
	Query []sparql.Option // how the query runs on each
	// Rows makes the writer of rows; nil stands for [results.NewWriter].
	Rows func(w io.Writer, f results.Format) results.Writer
	// Failed is called with each source that could not be opened, or that failed
	// before its first row; the others go on. Without it, that is the error of
	// Run.
	Failed func(source string, err error)
	// Warned, if not nil, is told of conditions that dropped rows by an error, see
	// [sparql.WithWarnings].
	Warned func(source string, w sparql.Warning)
	// Memory bounds what is kept to drop triples of a CONSTRUCT or DESCRIBE that two
	// sources have, 16 to 40 bytes for each; 0 is no bound. Triples for which there is
	// no room may come once from each source, which is the same graph.
	Memory int64
}

// openAtOnce is how many sources are opened at the same time.
const openAtOnce = 8

// Run runs a query on each source by itself, a manifest or a segment, and
// writes all rows, or all triples, one source after the other: nothing is joined
// across sources, and ORDER BY, LIMIT and aggregates hold within one. NOW is the same
// for all. ASK is true if it is true of one. Blank nodes get labels that begin with the number of
// their source, so that those of two sources never meet.
//
// A source that fails after its first row ends the whole: what was written is
// then not closed where the format can show that.
func Run(ctx context.Context, w io.Writer, f sparql.Format, q *sparql.Query, sources []string, opt *Options) error {
	if opt == nil {
		opt = &Options{}
	}
	fed := &federation{opt: opt, q: q, parts: make([]part, len(sources)), now: time.Now()}
	defer fed.close()
	fed.open(ctx, sources)
	graph := q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe
	switch {
	case graph != f.IsGraph():
		return fmt.Errorf("the answer of this query cannot be written as %s", f)
	case graph:
		return fed.triples(ctx, w, f)
	}
	rows := opt.Rows
	if rows == nil {
		rows = results.NewWriter
	}
	rw := rows(w, f.Rows())
	var err error
	if q.Form() == sparql.FormAsk {
		err = fed.ask(ctx, rw)
	} else {
		err = fed.rows(ctx, rw)
	}
	if err != nil {
		return errors.Join(err, rw.Abort())
	}
	return rw.Close()
}

type federation struct {
	opt      *Options
	q        *sparql.Query
	parts    []part
	answered int
	now      time.Time // of all sources: it is one request
}

// part is one source.
type part struct {
	name string
	db   *rete.DB
	snap *rete.Snapshot
	err  error
}

// open opens the sources; those that are not to be had keep their error.
func (f *federation) open(ctx context.Context, sources []string) {
	var g errgroup.Group
	g.SetLimit(openAtOnce)
	for i, name := range sources {
		p := &f.parts[i]
		p.name = name
		g.Go(func() error {
			if p.db, p.err = rete.Open(ctx, name, f.opt.Open); p.err == nil {
				p.snap, p.err = p.db.Snapshot(ctx)
			}
			return nil
		})
	}
	_ = g.Wait() // errors stay with the parts
}

func (f *federation) close() {
	for _, p := range f.parts {
		if p.snap != nil {
			p.snap.Close()
		}
		if p.db != nil {
			p.db.Close()
		}
	}
}

// each runs a query on every source that can be reached. ask says whether it came
// so far that its failure is that of the whole.
func (f *federation) each(ctx context.Context, ask func(p *part, mark string) (begun bool, err error)) error {
	for i := range f.parts {
		p := &f.parts[i]
		begun, err := false, p.err
		if err == nil {
			begun, err = ask(p, "s"+strconv.Itoa(i+1)+"x")
		}
		switch {
		case err == nil:
			f.answered++
		case ctx.Err() != nil:
			return ctx.Err()
		case begun || f.opt.Failed == nil:
			return fmt.Errorf("%s: %w", p.name, err)
		default:
			f.opt.Failed(p.name, err)
		}
	}
	if f.answered == 0 {
		return errors.New("no source answered")
	}
	return nil
}

// options are those of the query on one source.
func (f *federation) options(p *part) []sparql.Option {
	opts := []sparql.Option{sparql.Now(f.now)}
	if f.opt.Warned != nil {
		opts = append(opts, sparql.WithWarnings(func(w sparql.Warning) { f.opt.Warned(p.name, w) }))
	}
	return append(opts, f.opt.Query...)
}

func (f *federation) ask(ctx context.Context, w results.Writer) error {
	yes := false
	err := f.each(ctx, func(p *part, _ string) (bool, error) {
		b, err := p.snap.Ask(ctx, f.q, f.options(p)...)
		yes = yes || b
		return false, err
	})
	if err != nil {
		return err
	}
	return w.Boolean(yes)
}

func (f *federation) rows(ctx context.Context, w results.Writer) error {
	if err := w.Head(f.q.Vars()); err != nil {
		return err
	}
	line := make([][]byte, len(f.q.Vars()))
	return f.each(ctx, func(p *part, mark string) (begun bool, err error) {
		rows, err := p.snap.Select(ctx, f.q, f.options(p)...)
		if err != nil {
			return false, err
		}
		for row, err := range rows.All() {
			if err != nil {
				return begun, err
			}
			begun = true
			for c := range line {
				line[c] = marked(row.Surface(c), mark)
			}
			if err := w.Row(line); err != nil {
				return true, err
			}
		}
		return begun, nil
	})
}

func (f *federation) triples(ctx context.Context, w io.Writer, format sparql.Format) error {
	rw, err := rdfio.NewWriter(w, format.Graph(), nil)
	if err != nil {
		return err
	}
	seen := tripleSet{room: f.opt.Memory / tripleBytes}
	err = f.each(ctx, func(p *part, mark string) (begun bool, err error) {
		// The triples of one source are distinct, and blank nodes are of one source.
		first, last := p == &f.parts[0], p == &f.parts[len(f.parts)-1]
		run := p.snap.Construct
		if f.q.Form() == sparql.FormDescribe {
			run = p.snap.Describe
		}
		triples, err := run(ctx, f.q, f.options(p)...)
		if err != nil {
			return false, err
		}
		for q, err := range triples.All() {
			if err != nil {
				return begun, err
			}
			begun = true
			s, o := markedTerm(q.S, mark), markedTerm(q.O, mark)
			if s == q.S && o == q.O && !(first && last) {
				sum := sumOf(q)
				if !first && seen.has(sum) {
					continue
				}
				if !last {
					seen.add(sum)
				}
			}
			q.S, q.O = s, o
			raw := q.Raw()
			if err := rw.WriteQuad(&raw); err != nil {
				return true, err
			}
		}
		return begun, nil
	})
	if err != nil {
		return err
	}
	return rw.Close()
}
