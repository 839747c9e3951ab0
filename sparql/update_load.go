package sparql

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Documents are what the LOAD operations of an update read, fetched before it is
// carried out. They must be closed.
type Documents struct {
	byIRI  map[string]fetched
	limits document.Limits
}

func newDocuments(c *config) *Documents {
	return &Documents{byIRI: make(map[string]fetched), limits: c.limits.Shared()}
}

// fetched is a document, or why there is none.
type fetched struct {
	doc *document.Document
	err error
}

// Fetch fetches and parses the documents that an update loads, so that no other update
// waits for them while it is carried out ([WithDocuments]). That a document is not to be had is
// the error of its LOAD, unless every LOAD of it is SILENT.
func Fetch(ctx context.Context, u *Update, opts ...Option) (*Documents, error) {
	if u == nil {
		return nil, errNoUpdate
	}
	c := configOf(opts)
	if c.err != nil {
		return nil, c.err
	}
	d := newDocuments(c)
	for i, op := range u.u.Ops {
		l, ok := op.(*algebra.Load)
		if !ok {
			continue
		}
		f := d.fetch(ctx, c, l.Source.Value())
		if f.err != nil && (!l.Silent || context.Cause(ctx) != nil) {
			d.Close()
			e := executor{update: u, op: i}
			return nil, e.located(refusal{cancel.Why(ctx, f.err)})
		}
	}
	return d, nil
}

// fetch returns a document, fetched once.
func (d *Documents) fetch(ctx context.Context, c *config, iri string) fetched {
	f, ok := d.byIRI[iri]
	if ok {
		return f
	}
	if d.byIRI == nil {
		f.err = fmt.Errorf("sparql: the documents: %w", ErrClosed)
		return f
	}
	if c.open == nil {
		f.err = fmt.Errorf("<%s>: %w", iri, ErrNoLoad)
	} else if s, err := c.open(ctx, iri); err != nil {
		f.err = err
	} else {
		if f.doc, f.err = document.Read(ctx, s, d.limits); f.err == nil {
			f.err = f.doc.Parse(ctx)
		}
	}
	d.byIRI[iri] = f
	return f
}

// Close frees what the documents hold. It may be called twice.
func (d *Documents) Close() error {
	var first error
	for _, f := range d.byIRI {
		if f.doc != nil {
			if err := f.doc.Close(); first == nil {
				first = err
			}
		}
	}
	d.byIRI = nil
	return first
}

// WithLoad lets LOAD open documents. Without it, LOAD is an error.
func WithLoad(open document.Opener, limits document.Limits) Option {
	if limits.TempDir != "" {
		limits.TempDir = vfs.TempDir(limits.TempDir)
	}
	return func(c *config) { c.open, c.limits = open, limits }
}

// WithDocuments gives an update the documents that [Fetch] fetched for it.
func WithDocuments(d *Documents) Option { return func(c *config) { c.documents = d } }

// load carries out LOAD. The triples of the document go to the graph of INTO, or to
// the default graph; if it has named graphs, and there is no INTO, its quads keep
// them.
func (e *executor) load(ctx context.Context, op *algebra.Load) error {
	into, err := storedGraph(op.Into)
	if err != nil {
		return err
	}
	docs := e.config.documents
	if docs == nil {
		docs = newDocuments(e.config)
		defer docs.Close()
	}
	f := docs.fetch(ctx, e.config, op.Source.Value())
	if f.err != nil {
		return refusal{f.err}
	}
	if f.doc.NamedGraphs() && !op.Into.IsZero() {
		return refusal{fmt.Errorf("%s has named graphs, and INTO names one", f.doc.Name())}
	}
	r, err := f.doc.Quads(ctx)
	if err != nil {
		return err
	}
	e.loaded.Append(f.doc.Prefixes())
	var raw rdf.RawQuad
	var batch []rdf.Quad
	for {
		err := r.Read(&raw)
		switch {
		case err == io.EOF:
			return e.insert(ctx, batch)
		case err != nil:
			return err
		case op.Into.IsZero():
			batch = append(batch, raw.Quad())
		default:
			q := raw.Quad()
			q.G = into
			batch = append(batch, q)
		}
		if len(batch) == batchQuads {
			if err := e.insert(ctx, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
}
