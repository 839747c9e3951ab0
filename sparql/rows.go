package sparql

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/value"
)

// Select runs a SELECT query.
func Select(ctx context.Context, ds Dataset, q *Query, opts ...Option) (*Rows, error) {
	if q.Form() != FormSelect {
		return nil, fmt.Errorf("sparql: Select needs a SELECT query")
	}
	s, err := begin(ctx, ds, q, q.q.Columns, opts)
	if err != nil {
		return nil, err
	}
	return &Rows{ctx: ctx, answer: once{session: s}, vars: q.Vars(), cols: s.columns(q.q.Columns)}, nil
}

// Ask runs an ASK query.
func Ask(ctx context.Context, ds Dataset, q *Query, opts ...Option) (bool, error) {
	if q.Form() != FormAsk {
		return false, fmt.Errorf("sparql: Ask needs an ASK query")
	}
	s, err := begin(ctx, ds, q, nil, opts)
	if err != nil {
		return false, err
	}
	defer s.close()
	b, err := s.next(ctx)
	return b != nil, err
}

// Rows are the solutions of a SELECT, which are read once: reading them again, or after
// Close, is [ErrClosed]. They belong to one goroutine, but for Close.
type Rows struct {
	ctx    context.Context
	answer once
	vars   []string
	cols   []int
	page   page
}

// Vars returns the names of the columns.
func (r *Rows) Vars() []string { return r.vars }

// All delivers the rows. A row is good until the next one. An error comes last,
// and never just fewer rows; the end of the loop closes the rows. All terms of a row
// are decoded by then, whether they are read or not: what cannot be decoded is an
// error in the place of the row.
func (r *Rows) All() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		s, err := r.answer.begin()
		if err != nil {
			yield(Row{}, err)
			return
		}
		defer r.answer.end()
		for {
			b, err := r.nextPage(s)
			if err != nil {
				yield(Row{}, err)
				return
			}
			if b == nil {
				return
			}
			for i := range b.N {
				if !yield(Row{r, i}, nil) {
					return
				}
			}
		}
	}
}

// nextPage makes the next rows ready.
func (r *Rows) nextPage(s *session) (*rowset.Batch, error) {
	b, err := r.page.next(r.ctx, s, r.cols)
	if over := r.answer.over(); over != nil {
		return nil, over
	}
	return b, err
}

// Close ends the query. It may be called again, and beside [Rows.All] by another
// goroutine: rows that are left are then [ErrClosed].
func (r *Rows) Close() error { return r.answer.Close() }

// Row is one solution. The zero Row has no columns.
type Row struct {
	rows *Rows
	at   int
}

// At returns the term of a column; the zero Term if it is unbound.
func (r Row) At(column int) rdf.Term {
	if r.rows == nil {
		return rdf.Term{}
	}
	return r.rows.page.term(column, r.at)
}

// Surface returns the canonical surface of the term of a column, good until the
// next row; empty if it is unbound.
func (r Row) Surface(column int) []byte {
	if r.rows == nil {
		return nil
	}
	return r.rows.page.text(column, r.at)
}

// Term returns the term of a variable; false if it is unbound or no column.
func (r Row) Term(name string) (rdf.Term, bool) {
	i := r.column(name)
	if i < 0 {
		return rdf.Term{}, false
	}
	t := r.At(i)
	return t, !t.IsZero()
}

// Text returns the text of the term of a variable: of an IRI, a label, or the
// lexical form of a literal; false if it is unbound.
func (r Row) Text(name string) (string, bool) {
	t, ok := r.Term(name)
	return t.Value(), ok
}

// Int64 returns the value of a variable that is an integer; false if it is
// unbound, or no integer, or too large.
func (r Row) Int64(name string) (int64, bool) { return r.value(name).Int64() }

// Bool returns the value of a variable that is a boolean.
func (r Row) Bool(name string) (b, ok bool) { return r.value(name).Bool() }

// Float64 returns the value of a variable that is a number, rounded.
func (r Row) Float64(name string) (float64, bool) { return r.value(name).Float64() }

func (r Row) value(name string) value.Value {
	i := r.column(name)
	if i < 0 {
		return value.Value{}
	}
	return value.Decode(r.Surface(i))
}

// column returns the place of a variable, -1 if it is no column.
func (r Row) column(name string) int {
	if r.rows == nil {
		return -1
	}
	return slices.Index(r.rows.vars, name)
}
