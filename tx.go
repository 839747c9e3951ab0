package rete

import (
	"context"
	"errors"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// Done is what a write did; see [engine.Done].
//
// As it is declared:
//
//	type Done struct {
//	    // Generation and Batch are the place of the changes: the generation that they
//	    // were made on, and the number of their batch in the journal, 0 if they went
//	    // into the log at once. A write without changes has the place that it saw.
//	    Generation, Batch int64
//	    // Changes is the number of quads that appeared or disappeared.
//	    Changes int64
//	    // State names the graph after the write.
//	    State string
//	}
type Done = engine.Done

// WriteOption is a choice of [DB.Write].
type WriteOption func(*engine.WriteOptions)

// IfState makes a write fail with [ErrConflict] unless the graph is in the state of that name; see
// [Snapshot.State].
func IfState(name string) WriteOption {
	return func(o *engine.WriteOptions) { o.IfState = name }
}

// Write runs f as a transaction: what it inserts, deletes and updates is there for
// all readers together, or not at all if f fails, which is then the error. Writers take turns; f
// must not call other methods of db that write, nor close it. On a web server or in a bucket, without
// a journal, it fails with [ErrConflict] if somebody else commits meanwhile: call it again then, or
// use [DB.Execute] or [DB.Update], which do that by themselves. See [engine.DB.Write].
//
//	done, err := db.Write(ctx, func(tx *rete.Tx) error {
//		if err := tx.Insert(ctx, quad); err != nil {
//			return err
//		}
//		return tx.Update(ctx, change) // sees the insert
//	})
//	if errors.Is(err, rete.ErrUnknownOutcome) {
//		return look(db, done.State)
//	}
func (db *DB) Write(ctx context.Context, f func(tx *Tx) error, opts ...WriteOption) (*Done, error) {
	if f == nil {
		return nil, errors.New("rete: Write has no function to run")
	}
	var opt engine.WriteOptions
	for _, o := range opts {
		if o == nil {
			return nil, errors.New("rete: an option of Write is nil")
		}
		o(&opt)
	}
	return db.engine.Write(ctx, &opt, func(etx *engine.Tx) error {
		tx := &Tx{tx: etx, db: db.engine}
		if err := f(tx); err != nil {
			return err
		}
		return tx.failed
	})
}

// Execute carries out an update request in a transaction of its own. What LOAD needs
// is fetched before, so that no other writer waits for it.
func (db *DB) Execute(ctx context.Context, u *sparql.Update, opts ...sparql.Option) (*Done, error) {
	if u == nil {
		return nil, errors.New("rete: the update is nil")
	}
	if len(u.Loads()) > 0 {
		docs, err := sparql.Fetch(ctx, u, opts...)
		if err != nil {
			return nil, err
		}
		defer docs.Close()
		opts = append(opts[:len(opts):len(opts)], sparql.WithDocuments(docs))
	}
	return db.Write(ctx, func(tx *Tx) error { return tx.Execute(ctx, u, opts...) }, func(o *engine.WriteOptions) { o.Repeat = true })
}

// Tx is a transaction of [DB.Write]: the graph as it was when the transaction
// began, with its own changes. It belongs to one goroutine and is valid until the
// function that got it returns; so are the rows of its queries.
//
// It is a [dataset.Tx], and a [dataset.Clearer]. After a method that changes something has failed, nothing of the transaction is
// written, also if the function goes on.
type Tx struct {
	tx     *engine.Tx
	db     *engine.DB
	failed error
}

// ID names the transaction: 32 hexadecimal digits that no other has.
func (tx *Tx) ID() string { return tx.tx.ID() }

// Insert adds quads; those that are there already change nothing.
func (tx *Tx) Insert(ctx context.Context, quads ...rdf.Quad) error {
	return tx.note(tx.tx.Insert(ctx, quads...))
}

// Delete removes quads; those that are not there change nothing.
func (tx *Tx) Delete(ctx context.Context, quads ...rdf.Quad) error {
	return tx.note(tx.tx.Delete(ctx, quads...))
}

// Clear removes all quads.
func (tx *Tx) Clear(ctx context.Context) error {
	return tx.note(tx.tx.Clear(ctx))
}

// Draw implements [dataset.Drawer]; see [engine.Tx.Draw].
func (tx *Tx) Draw(m dataset.Memory) bool { return tx.tx.Draw(m) }

// NamePrefixes has the graph keep prefixes; see [engine.Tx.NamePrefixes]. Updates name theirs.
func (tx *Tx) NamePrefixes(set map[string]string) { tx.tx.NamePrefixes(set) }

// Spills reports how often the transaction was refused memory; see [engine.Tx.Spills].
func (tx *Tx) Spills() int { return tx.tx.Spills() }

// Execute carries out an update request. It sees the changes before it.
func (tx *Tx) Execute(ctx context.Context, u *sparql.Update, opts ...sparql.Option) error {
	if err := tx.tx.Insert(ctx); err != nil { // an update without operations asks for nothing
		return err
	}
	_, err := sparql.Execute(ctx, tx, u, tx.options(opts)...)
	return tx.note(err)
}

// options adds the tracer, unless the caller has another.
func (tx *Tx) options(opts []sparql.Option) []sparql.Option {
	return append([]sparql.Option{sparql.WithTracer(tx.db.Tracer())}, opts...)
}

// note keeps the first error of a change.
func (tx *Tx) note(err error) error {
	if err != nil && tx.failed == nil {
		tx.failed = err
	}
	return err
}

// Dataset returns the quads as the calls so far left them, as the query engine sees
// them. It does not change.
func (tx *Tx) Dataset(ctx context.Context) (dataset.Dataset, error) {
	v, err := tx.tx.View(ctx)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Select runs a SELECT query; see [Snapshot.Select].
func (tx *Tx) Select(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Rows, error) {
	d, err := tx.Dataset(ctx)
	if err != nil {
		return nil, err
	}
	return sparql.Select(ctx, d, q, tx.options(opts)...)
}

// Ask runs an ASK query.
func (tx *Tx) Ask(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (bool, error) {
	d, err := tx.Dataset(ctx)
	if err != nil {
		return false, err
	}
	return sparql.Ask(ctx, d, q, tx.options(opts)...)
}

// Construct runs a CONSTRUCT query.
func (tx *Tx) Construct(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Triples, error) {
	d, err := tx.Dataset(ctx)
	if err != nil {
		return nil, err
	}
	return sparql.Construct(ctx, d, q, tx.options(opts)...)
}

// Describe runs a DESCRIBE query.
func (tx *Tx) Describe(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Triples, error) {
	d, err := tx.Dataset(ctx)
	if err != nil {
		return nil, err
	}
	return sparql.Describe(ctx, d, q, tx.options(opts)...)
}

// WriteTo runs a query of any form and writes its answer; see [Snapshot.WriteTo].
func (tx *Tx) WriteTo(ctx context.Context, w io.Writer, f sparql.Format, q *sparql.Query, opts ...sparql.Option) error {
	d, err := tx.Dataset(ctx)
	if err != nil {
		return err
	}
	return sparql.WriteTo(ctx, w, f, d, q, tx.options(opts)...)
}
