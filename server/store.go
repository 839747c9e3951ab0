package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// Store is the database behind a server. Its methods may be called by several
// goroutines at once.
type Store interface {
	// Snapshot returns the current state.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Writable reports whether Write can work at all.
	Writable() bool
	// Write carries out change in a transaction and commits it once: all of it,
	// durably, or nothing. If ifState is not empty and not the name of the state
	// that the transaction begins with, the error matches rete.ErrConflict. Where another
	// writer was faster and nothing was committed, Write may call change again, in another
	// transaction.
	Write(ctx context.Context, ifState string, change func(tx dataset.Tx) error) (Written, error)
	// Refresh looks whether somebody else has committed.
	Refresh(ctx context.Context) (moved bool, err error)
}

// Maintainer is a Store whose log can be tended while it is served.
type Maintainer interface {
	// Seal moves the changes of the journal into the log.
	Seal(ctx context.Context) (Tended, error)
	// Compact makes one entry of the log. It makes way for queries while busy
	// says that they take all cores.
	Compact(ctx context.Context, busy func() bool) (Tended, error)
}

// Prober is a Store that knows what requests would meet without carrying one out. Of
// other stores it is tried whether there is a snapshot.
type Prober interface {
	// Ready returns nil if queries and, where Writable, writes would be carried out.
	Ready(ctx context.Context) error
}

// single is a Store that may know that Write calls change once at most.
type single interface{ once() bool }

// previewer is a Store that tells what a write would change.
type previewer interface {
	// Preview carries out change as Write does, commits nothing, and calls f with each quad that
	// would appear or disappear. It returns the name of the state that this was tried in.
	Preview(ctx context.Context, ifState string, change func(tx dataset.Tx) error, f func(added bool, q *rdf.RawQuad) error) (state string, err error)
}

// Namer is a Store that knows what namespaces are called in it.
type Namer interface {
	// Prefixes returns namespaces by their prefixes. A query may use them undeclared, and
	// graphs are written with them; they change with the state alone.
	Prefixes(ctx context.Context) (map[string]string, error)
}

// Metered is a Store that has metrics: /metrics and Options.Registerer get them too.
type Metered interface {
	Metrics() prometheus.Collector
}

// Tended is the outcome of a Seal or Compact.
type Tended struct {
	Generation int64 `json:"generation"`
	Done       bool  `json:"done"` // false: there was nothing to do
}

// Snapshot is one state of a Store. It must be closed.
type Snapshot interface {
	// Dataset is the content; its State names it: equal states, equal content.
	Dataset() dataset.Dataset
	Close() error
}

// Written is the outcome of a write.
type Written struct {
	State   string // the name of the state after it
	Changes int64  // quads that are there now and were not, and the other way round
}
