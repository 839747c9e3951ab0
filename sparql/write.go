package sparql

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql/results"
)

// Format is a format in which answers are written: of rows, or of graphs.
type Format struct {
	rows  results.Format
	graph rdfio.Format // not Unknown: a format of graphs
}

// The formats of the answers of SELECT and ASK.
var (
	JSON = Format{rows: results.JSON}
	XML  = Format{rows: results.XML}
	CSV  = Format{rows: results.CSV}
	TSV  = Format{rows: results.TSV}
	Text = Format{rows: results.Text}
)

// The formats of the answers of CONSTRUCT and DESCRIBE.
var (
	Turtle   = Format{graph: rdfio.Turtle}
	NTriples = Format{graph: rdfio.NTriples}
	NQuads   = Format{graph: rdfio.NQuads}
	TriG     = Format{graph: rdfio.TriG}
)

// RowFormat returns the format of results of package results.
func RowFormat(f results.Format) Format { return Format{rows: f} }

// GraphFormat returns a format of RDF.
func GraphFormat(f rdfio.Format) Format { return Format{graph: f} }

// IsGraph reports whether f is a format of graphs.
func (f Format) IsGraph() bool { return f.graph != rdfio.Unknown }

// Rows returns the format of rows; JSON for a format of graphs.
func (f Format) Rows() results.Format { return f.rows }

// Graph returns the format of graphs; rdfio.Unknown for a format of rows.
func (f Format) Graph() rdfio.Format { return f.graph }

// String returns the short name of the format.
func (f Format) String() string {
	if f.IsGraph() {
		return f.graph.String()
	}
	return f.rows.String()
}

// MediaType returns the media type.
func (f Format) MediaType() string {
	if f.IsGraph() {
		return f.graph.MediaType()
	}
	return f.rows.MediaType()
}

// ParseFormat returns the format with this short name or media type.
func ParseFormat(name string) (Format, error) {
	if f, ok := results.ParseFormat(name); ok {
		return Format{rows: f}, nil
	}
	f, err := rdfio.ParseFormat(name)
	return Format{graph: f}, err
}

// WriteTo runs a query of any form and writes its answer as a stream. If the
// query fails after the first bytes, what was written does not look whole where
// the format can show it, and the error says why.
func WriteTo(ctx context.Context, w io.Writer, f Format, ds dataset.Dataset, q *Query, opts ...Option) error {
	if q == nil {
		return errNoQuery
	}
	graph := q.Form() == FormConstruct || q.Form() == FormDescribe
	if graph != f.IsGraph() {
		return fmt.Errorf("sparql: the answer of this query cannot be written as %s", f)
	}
	switch q.Form() {
	case FormAsk:
		b, err := Ask(ctx, ds, q, opts...)
		if err != nil {
			return err
		}
		rw := results.NewWriter(w, f.rows)
		if err := rw.Boolean(b); err != nil {
			return err
		}
		return rw.Close()
	case FormSelect:
		rows, err := Select(ctx, ds, q, opts...)
		if err != nil {
			return err
		}
		return rows.WriteTo(results.NewWriter(w, f.rows))
	}
	run := Construct
	if q.Form() == FormDescribe {
		run = Describe
	}
	triples, err := run(ctx, ds, q, opts...)
	if err != nil {
		return err
	}
	return triples.writeTo(w, f.graph, configOf(opts).prefixes)
}

// WriteTo writes all rows and closes them and the writer; after an error the
// writer is told to abort.
func (r *Rows) WriteTo(w results.Writer) error {
	ctx, s, err := r.answer.begin()
	if err != nil {
		w.Abort() // the first error counts
		return err
	}
	defer r.answer.end()
	row := w.Row
	if cells, ok := w.(results.CellWriter); ok && r.page.rows == 0 { // no surface is kept yet
		row, r.page.spell = cells.Cells, cells.AppendCell
	}
	// The head follows the first rows, so that a note on an answer without any comes before all.
	b, err := r.nextPage(ctx, s)
	if err != nil {
		w.Abort() // the first error counts
		return err
	}
	if err := w.Head(r.vars); err != nil {
		return err
	}
	line := make([][]byte, len(r.vars))
	for ; ; b, err = r.nextPage(ctx, s) {
		if err != nil {
			w.Abort()
			return err
		}
		if b == nil {
			return w.Close()
		}
		for at := range b.N {
			if at%checkRows == checkRows-1 {
				if err := ctx.Err(); err != nil {
					w.Abort()
					return cmp.Or(r.answer.over(), cancel.Why(r.answer.ctx, err))
				}
			}
			for c := range line {
				line[c] = r.page.text(c, at)
			}
			if err := row(line); err != nil {
				return err
			}
		}
	}
}

// writeTo writes all triples. Without its end, a document is cut off where its
// syntax can show it.
func (t *Triples) writeTo(w io.Writer, f rdfio.Format, prefixes map[string]string) error {
	rw, err := rdfio.NewWriter(w, f, prefixes)
	if err != nil {
		return err
	}
	var raw rdf.RawQuad
	for q, err := range t.All() {
		if err != nil {
			return err
		}
		raw.S, raw.P, raw.O = append(raw.S[:0], q.S.Surface()...), append(raw.P[:0], q.P.Surface()...), append(raw.O[:0], q.O.Surface()...)
		if err := rw.WriteQuad(&raw); err != nil {
			return err
		}
	}
	return rw.Close()
}
