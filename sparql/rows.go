package sparql

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/scan"
)

// Select runs a SELECT query.
func Select(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (*Rows, error) {
	if err := q.want(FormSelect); err != nil {
		return nil, err
	}
	s, err := begin(ctx, ds, q, q.q.Columns, opts)
	if err != nil {
		return nil, err
	}
	return &Rows{answer: once{ctx: ctx, session: s}, vars: q.Vars(), cols: s.columns(q.q.Columns)}, nil
}

// Ask runs an ASK query.
func Ask(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (bool, error) {
	if err := q.want(FormAsk); err != nil {
		return false, err
	}
	s, err := begin(ctx, ds, q, nil, opts)
	if err != nil {
		return false, err
	}
	defer s.close()
	b, err := s.next(ctx)
	s.span.Fail(err)
	return b != nil, err
}

// Rows are the solutions of a SELECT, which are read once: reading them again, or after
// Close, is [ErrClosed]. They belong to one goroutine, but for Close.
type Rows struct {
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
		ctx, s, err := r.answer.begin()
		if err != nil {
			yield(Row{}, err)
			return
		}
		defer r.answer.end()
		for {
			b, err := r.nextPage(ctx, s)
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
func (r *Rows) nextPage(ctx context.Context, s *session) (*rowset.Batch, error) {
	b, err := r.page.next(ctx, s, r.cols)
	if over := r.answer.over(); over != nil {
		b, err = nil, over
	}
	s.span.Fail(err)
	return b, cancel.Why(r.answer.ctx, err)
}

// Close ends the query. It may be called again, and concurrently with [Rows.All] by another
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

// Scan puts the terms of the columns, in the order of [Rows.Vars], into Go values, one pointer
// for each column:
//
//	*string, *[]byte     the text of a literal or an IRI, the label of a blank node
//	*int…, *uint…        an integer that fits
//	*float32, *float64   a number, rounded
//	*bool, *time.Time    an xsd:boolean; an xsd:dateTime or xsd:date, as UTC without a zone
//	*rdf.Term            every term
//	*any                 string, int64, float64, bool or time.Time where the term is of such a
//	                     datatype, else an rdf.Term; nil if the column is unbound
//	**T                  as *T; nil if the column is unbound
//	sql.Scanner          what *any gets, as with sql.Null, but the text of other terms
//	nil                  nothing: the column is passed over
//
// Types made from these are as these. A column that is unbound is an error of the others, but
// for *rdf.Term, which gets the zero Term. So is a term that the type does not hold: nothing is
// rounded but floats.
//
// A pointer to a struct, if it is the one argument, gets the columns that its fields name with a
// tag (`rete:"age"`), by the same rules; columns that no field names are passed over, and a name
// that is no column is an error.
func (r Row) Scan(dst ...any) error {
	if r.rows == nil {
		return fmt.Errorf("sparql: Scan of the zero Row")
	}
	return scan.Row(dst, r.rows.vars, r.Surface)
}

// column returns the place of a variable, -1 if it is no column.
func (r Row) column(name string) int {
	if r.rows == nil {
		return -1
	}
	return slices.Index(r.rows.vars, name)
}
