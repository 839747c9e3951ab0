package dataset

import (
	"context"

	"github.com/rete-go/rete/rdf"
)

// Tx is a transaction: quads that are changed, and seen as they change. It belongs
// to one goroutine. The caller that opened it keeps all of its changes or none; after an
// error only none is right.
type Tx interface {
	// ID names the transaction as nothing else is named, also after a restart:
	// new blank nodes are named after it.
	ID() string
	// Dataset returns the quads as all calls so far left them. It does not
	// change, and stays readable while the transaction is written to, until it
	// ends.
	Dataset(ctx context.Context) (Dataset, error)
	// Insert adds quads; those that are there already change nothing.
	Insert(ctx context.Context, quads ...rdf.Quad) error
	// Delete removes quads; those that are not there change nothing.
	Delete(ctx context.Context, quads ...rdf.Quad) error
}

// Memory is what a transaction draws the memory of its changes from.
type Memory interface {
	// Try takes bytes if they are there.
	Try(bytes int64) bool
	// Take takes bytes; the error says why they are refused.
	Take(ctx context.Context, bytes int64) error
	// Give gives bytes back.
	Give(bytes int64)
	// Close is called once, when everything is given back.
	Close() error
}

// Drawer is a Tx that holds its changes in memory which it draws.
type Drawer interface {
	// Draw makes the Tx draw what it holds from m, until it ends. False: it draws from another
	// memory already, and m is not closed.
	Draw(m Memory) bool
}

// Clearer is a Tx that removes every quad of every graph without reading them.
type Clearer interface {
	Clear(ctx context.Context) error
}
