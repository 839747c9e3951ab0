package server

import (
	"context"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/sparql"
)

// Database makes a Store of a rete.DB, which stays the caller's to close.
func Database(db *rete.DB) Store { return database{db} }

type database struct{ db *rete.DB }

func (d database) Snapshot(ctx context.Context) (Snapshot, error) { return d.db.Snapshot(ctx) }

func (d database) Writable() bool { return false }

func (d database) Write(context.Context, string, func(sparql.Tx) error) (Written, error) {
	return Written{}, errReadOnly
}

func (d database) Refresh(ctx context.Context) (bool, error) { return d.db.Refresh(ctx) }
