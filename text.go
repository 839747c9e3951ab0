package rete

import (
	"context"

	"github.com/rete-go/rete/sparql"
)

// Query runs a SELECT query, given as text, on a snapshot of its own, which the rows close: they
// must be read to the end, left in the middle of their loop, or closed.
//
//	rows, err := db.Query(ctx, `SELECT ?name ?age { … }`, sparql.Bind("who", "Ann"))
//	if err != nil {
//		return err
//	}
//	for row, err := range rows.All() {
//		if err != nil {
//			return err
//		}
//		if err := row.Scan(&name, &age); err != nil {
//			return err
//		}
//	}
//
// Errors of the text are [*sparql.SyntaxError]. Queries of other forms, and several queries of
// one state of the graph, run on a [Snapshot].
func (db *DB) Query(ctx context.Context, text string, opts ...sparql.Option) (*sparql.Rows, error) {
	q, err := db.plans.ParseContext(ctx, text, nil, opts...) // before there is a snapshot
	if err != nil {
		return nil, err
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		q.Close()
		return nil, err
	}
	return closing(opts, func() { snap.Close(); q.Close() }, func(opts []sparql.Option) (*sparql.Rows, error) {
		return snap.Select(ctx, q, opts...)
	})
}

// Query runs a SELECT query, given as text; see [DB.Query]. The snapshot stays open.
func (s *Snapshot) Query(ctx context.Context, text string, opts ...sparql.Option) (*sparql.Rows, error) {
	q, err := s.plans.ParseContext(ctx, text, nil, opts...)
	if err != nil {
		return nil, err
	}
	return closing(opts, q.Close, func(opts []sparql.Option) (*sparql.Rows, error) { return s.Select(ctx, q, opts...) })
}

// Query runs a SELECT query, given as text; see [DB.Query]. It sees the changes before it.
func (tx *Tx) Query(ctx context.Context, text string, opts ...sparql.Option) (*sparql.Rows, error) {
	q, err := sparql.ParseContext(ctx, text, nil, opts...)
	if err != nil {
		return nil, err
	}
	return closing(opts, q.Close, func(opts []sparql.Option) (*sparql.Rows, error) { return tx.Select(ctx, q, opts...) })
}

// closing calls end after the rows that f makes have ended, or if it makes none.
func closing(opts []sparql.Option, end func(), f func([]sparql.Option) (*sparql.Rows, error)) (*sparql.Rows, error) {
	rows, err := f(append(opts[:len(opts):len(opts)], sparql.AtEnd(end)))
	if err != nil {
		end()
	}
	return rows, err
}

// Update carries out an update request, given as text, in a transaction of its own. Errors of
// the text are [*sparql.SyntaxError]; see [DB.Execute].
func (db *DB) Update(ctx context.Context, text string, opts ...sparql.Option) (*Done, error) {
	u, err := sparql.ParseUpdateContext(ctx, text, nil, opts...)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	return db.Execute(ctx, u, nil, opts...)
}

// Update carries out an update request, given as text. It sees the changes before it.
func (tx *Tx) Update(ctx context.Context, text string, opts ...sparql.Option) error {
	u, err := sparql.ParseUpdateContext(ctx, text, nil, opts...)
	if err != nil {
		return tx.note(err)
	}
	defer u.Close()
	return tx.Execute(ctx, u, opts...)
}
