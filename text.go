package rete

import (
	"context"
	"errors"

	"github.com/rete-go/rete/engine"
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
// Prefixes that the text does not declare are those of the graph; see [DB.Prefixes].
//
// Errors of the text are [*sparql.SyntaxError]. Queries of other forms, and several queries of
// one state of the graph, run on a [Snapshot].
func (db *DB) Query(ctx context.Context, text string, opts ...sparql.Option) (*sparql.Rows, error) {
	q, err := parse(ctx, db.plans, db.engine, text, opts) // before there is a snapshot
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
	q, err := parse(ctx, s.plans, s.db, text, opts)
	if err != nil {
		return nil, err
	}
	return closing(opts, q.Close, func(opts []sparql.Option) (*sparql.Rows, error) { return s.Select(ctx, q, opts...) })
}

// Query runs a SELECT query, given as text; see [DB.Query]. It sees the changes before it.
func (tx *Tx) Query(ctx context.Context, text string, opts ...sparql.Option) (*sparql.Rows, error) {
	q, err := parse(ctx, nil, tx.db, text, opts)
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
	u, err := parseUpdate(ctx, db.engine, text, opts)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	return db.Execute(ctx, u, opts...)
}

// Update carries out an update request, given as text. It sees the changes before it.
func (tx *Tx) Update(ctx context.Context, text string, opts ...sparql.Option) error {
	u, err := parseUpdate(ctx, tx.db, text, opts)
	if err != nil {
		return tx.note(err)
	}
	defer u.Close()
	return tx.Execute(ctx, u, opts...)
}

// parse reads a query. Prefixes that it leaves undeclared are those of the graph, which are read
// for such a query alone.
func parse(ctx context.Context, plans *sparql.PlanCache, db *engine.DB, text string, opts []sparql.Option) (q *sparql.Query, err error) {
	err = withPrefixes(ctx, db, func(opt *sparql.ParseOptions) error {
		if plans != nil {
			q, err = plans.ParseContext(ctx, text, opt, opts...)
		} else {
			q, err = sparql.ParseContext(ctx, text, opt, opts...)
		}
		return err
	})
	return q, err
}

// parseUpdate is parse for an update request.
func parseUpdate(ctx context.Context, db *engine.DB, text string, opts []sparql.Option) (u *sparql.Update, err error) {
	err = withPrefixes(ctx, db, func(opt *sparql.ParseOptions) error {
		u, err = sparql.ParseUpdateContext(ctx, text, opt, opts...)
		return err
	})
	return u, err
}

func withPrefixes(ctx context.Context, db *engine.DB, parse func(*sparql.ParseOptions) error) error {
	err := parse(nil)
	var syntax *sparql.SyntaxError
	if !errors.As(err, &syntax) || !syntax.Undeclared {
		return err
	}
	known, perr := db.Prefixes(ctx)
	if perr != nil {
		return perr
	}
	if len(known) == 0 {
		return err
	}
	return parse(&sparql.ParseOptions{Prefixes: known})
}
