package rete

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"lukechampine.com/blake3"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// FederateOptions are the choices of [Federate]; nil stands for the defaults.
type FederateOptions struct {
	Open  *Options        // how sources are opened
	Query []sparql.Option // how the query runs on each
	// Failed is called with each source that could not be opened, or that failed
	// before its first row; the others go on. Without it, that is the error of
	// Federate.
	Failed func(source string, err error)
	// Warned, if not nil, is told of conditions that dropped rows by an error, see
	// [sparql.WithWarnings].
	Warned func(source string, w sparql.Warning)
	// Memory bounds what is kept to drop triples of a CONSTRUCT or DESCRIBE that two
	// sources have, 16 to 40 bytes for each; 0 is no bound. Triples for which there is
	// no room may come once from each source, which is the same graph.
	Memory int64
}

// ErrNoSource: not one of the sources of [Federate] answered.
var ErrNoSource = errors.New("rete: no source answered")

// openAtOnce is how many sources are opened at the same time.
const openAtOnce = 8

// Federate runs a query on each source by itself, a manifest or a segment, and
// writes all rows, or all triples, one source after the other: nothing is joined
// across sources, and ORDER BY, LIMIT and aggregates hold within one. NOW is the same
// for all. ASK is true if it is true of one. Blank nodes get labels that begin with the number of
// their source, so that those of two sources never meet.
//
// A source that fails after its first row ends the whole: what was written is
// then not closed where the format can show that.
func Federate(ctx context.Context, w io.Writer, f sparql.Format, q *sparql.Query, sources []string, opt *FederateOptions) error {
	if opt == nil {
		opt = &FederateOptions{}
	}
	fed := &federation{opt: opt, q: q, parts: make([]part, len(sources)), now: time.Now()}
	defer fed.close()
	fed.open(ctx, sources)
	graph := q.Form() == sparql.FormConstruct || q.Form() == sparql.FormDescribe
	switch {
	case graph != f.IsGraph():
		return fmt.Errorf("rete: the answer of this query cannot be written as %s", f)
	case graph:
		return fed.triples(ctx, w, f)
	}
	rw := results.NewWriter(w, f.Rows())
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
	opt      *FederateOptions
	q        *sparql.Query
	parts    []part
	answered int
	now      time.Time // of all sources: it is one request
}

// part is one source.
type part struct {
	name string
	db   *DB
	snap *Snapshot
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
			if p.db, p.err = Open(ctx, name, f.opt.Open); p.err == nil {
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
		return ErrNoSource
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

// tripleSet is a set of triples, each as the first half of its BLAKE3.
type tripleSet struct {
	sums map[[16]byte]struct{}
	room int64 // how many it may have; 0: any
}

// tripleBytes is what a triple of a set takes at most.
const tripleBytes = 40

func sumOf(q rdf.Quad) [16]byte {
	text := make([]byte, 0, 256)
	text = append(append(append(append(append(text, q.S.Surface()...), ' '), q.P.Surface()...), ' '), q.O.Surface()...)
	sum := blake3.Sum256(text)
	return [16]byte(sum[:16])
}

func (s *tripleSet) has(sum [16]byte) bool {
	_, ok := s.sums[sum]
	return ok
}

func (s *tripleSet) add(sum [16]byte) {
	if s.sums == nil {
		s.sums = make(map[[16]byte]struct{})
	}
	if s.room == 0 || int64(len(s.sums)) < s.room {
		s.sums[sum] = struct{}{}
	}
}

// marked puts a mark before the labels of blank nodes in a surface.
func marked(surface []byte, mark string) []byte {
	switch rdf.KindOf(surface) {
	case rdf.KindBlank, rdf.KindTriple:
		return []byte(markedTerm(rdf.FromSurface(string(surface)), mark).Surface())
	}
	return surface
}

func markedTerm(t rdf.Term, mark string) rdf.Term {
	switch t.Kind() {
	case rdf.KindBlank:
		return rdf.Blank(mark + t.Value())
	case rdf.KindTriple:
		if !strings.Contains(t.Surface(), "_:") {
			return t
		}
		s, p, o, _ := t.Triple()
		return rdf.TripleTerm(markedTerm(s, mark), p, markedTerm(o, mark))
	}
	return t
}
