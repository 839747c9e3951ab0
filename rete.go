// Package rete is an embeddable database of RDF quads with SPARQL: immutable
// segments under a small manifest ([engine]), queried as one graph ([sparql]).
//
//	db, err := rete.Open(ctx, "people", nil)
//	…
//	rows, err := db.Query(ctx, `SELECT ?name { … }`, sparql.Bind("who", "Ann"))
//	…
//	for row, err := range rows.All() {
//		…
//		err := row.Scan(&name)
//
// Query and Update take a text. Programs that run it often, or need its form or prefixes, parse
// it with package [sparql] and give it to Select (and Ask, Construct, Describe) and to Execute.
//
// A [DB] may be used by several goroutines. A [Snapshot] is one state of the
// graph: it does not change, and neither waits for writers nor keeps them
// waiting. Errors of damaged data match [ErrDamaged] and name the segment.
//
// Programs that need no SPARQL import package engine alone.
package rete

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/sparql"
)

// Errors that a caller can act on. The others are described by package engine.
var (
	// ErrDamaged: stored bytes are not what they must be.
	ErrDamaged = damage.Err
	// ErrConflict: nothing was committed, because another commit came between.
	ErrConflict = engine.ErrConflict
	// ErrUnknownOutcome: the commit may have happened.
	ErrUnknownOutcome = engine.ErrUnknownOutcome
	// ErrExpired: a segment of the state that was asked for was collected; Refresh shows
	// the current state.
	ErrExpired = engine.ErrExpired
	// ErrMissingSegment: a segment that the manifest names is not there.
	ErrMissingSegment = engine.ErrMissingSegment
	// ErrWrongSegment: what has the name of a segment is not the one that the manifest
	// pins. It matches ErrDamaged too.
	ErrWrongSegment = engine.ErrWrongSegment
	// ErrClosed: something was used after its end, whatever it was: a database, a snapshot or
	// a cursor that was closed, rows that were read or closed, a transaction whose function
	// has returned. Close may be called concurrently with other methods, which give their answer or this.
	ErrClosed = engine.ErrClosed
	// ErrTxEnded: a transaction was used after the function that got it had returned. It
	// matches ErrClosed.
	ErrTxEnded = engine.ErrTxEnded
)

// Options are the choices of [Open] and [Create]; see [engine.Options].
//
// As it is declared:
//
//	type Options struct {
//	    // CacheBytes bounds the decoded units that are kept, if Cache is nil; a
//	    // quarter as much again, 32 MiB at most, is what small layers may take in memory.
//	    // Default 128 MiB.
//	    CacheBytes int64
//	    // Cache is shared with other databases. Default: one of its own.
//	    Cache *engine.Cache
//	    // CacheDir is a directory in which what is read of remote segments is kept, up to
//	    // CacheDirBytes (default 1 GiB); others may use it at the same time. Default: nothing
//	    // is kept.
//	    CacheDir      string
//	    CacheDirBytes int64
//	    // TrustUnverified reads remote segments of other programs, which have no map, and of
//	    // which there is no hash tree, by the sizes and validators that the server gives alone.
//	    // Default: they are read and hashed whole before their first use.
//	    TrustUnverified bool
//	    // HTTP makes the requests to web servers. Default: a client of our own.
//	    HTTP *http.Client
//	    // Stores adds stores for names of the form scheme://….
//	    Stores map[string]blob.Store
//	    // FS is the file system of local names. Default: the operating system's.
//	    FS  blob.FS
//	    // ReadOnly refuses every write, and takes no lock.
//	    ReadOnly bool
//	    // SealedOnly opens the log alone, as if there were no journal, for reading.
//	    SealedOnly bool
//	    // Writer takes the ownership of the journal when the database is opened, and
//	    // keeps it until it is closed: what a server does. Without it the first write
//	    // does.
//	    Writer bool
//	    // OwnerWait is how long a write waits for another owner of the journal that does
//	    // not serve it, and so will soon be done. Default: it does not wait.
//	    OwnerWait time.Duration
//	    // Journal is the path of the journal, relative to the working directory as it is
//	    // when the database is opened.
//	    // Default: <manifest>.changes next to a local manifest. A remote one has none: each write
//	    // is a commit of its own then.
//	    Journal string
//	    // Sync says when a write is acknowledged. Default: SyncAlways.
//	    Sync engine.SyncMode
//	    // SyncEvery is the interval of SyncInterval. Default 50 ms.
//	    SyncEvery time.Duration
//	    // MaxBatchBytes and MaxBatchLines bound a batch of the journal; a larger write
//	    // becomes an entry of the log at once. Defaults: 64 MiB and 100,000.
//	    MaxBatchBytes, MaxBatchLines int64
//	    // WriteMemory bounds what a transaction holds of its changes, in bytes as they are
//	    // counted; beyond it, and where [Tx.Draw] is refused, they are written to segments that
//	    // are committed with the rest. If that fails, so does the transaction. Default: 128 MiB.
//	    WriteMemory int64
//	    // Fold bounds compactions that have no bound of their own, also those of [DB.Maintain]: its
//	    // MaxMemory, Memory, Hold, TempDir and MaxScratch. Default: no bounds.
//	    Fold compaction.Options
//	    // Warm, if it is not nil, fills the cache before queries ask. Default: not.
//	    Warm *WarmOptions
//	    // Logger gets one line an event. Default: none.
//	    Logger *slog.Logger
//	    // Tracer gets a span of each write ("rete.write"), of what a write, add, seal, compaction and
//	    // revert are, from their beginning to the end ("rete.add", "rete.seal", "rete.compact",
//	    // "rete.revert"), and inside these of the commit ("rete.commit"). Databases of package rete
//	    // hand it to their queries and updates too; see [sparql.WithTracer]. Default: none.
//	    Tracer dataset.Tracer
//	}
type Options = engine.Options

// WarmOptions fill the cache before queries ask; see [engine.WarmOptions].
//
// As it is declared:
//
//	type WarmOptions struct {
//	    // Share is the part of the cache that may be full when it stops, above 0 and at
//	    // most 1. Default 0.75.
//	    Share float64
//	    // Busy reports whether queries wait for the processor: then it rests half of
//	    // the time, 50 ms at most at a time. Nil: it always does.
//	    Busy func() bool
//	}
type WarmOptions = engine.WarmOptions

// DB is an open database. It is asked by [DB.Query], or on a [Snapshot] of one state ([DB.View],
// [DB.Snapshot], and [DB.At] for an earlier one); changed by [DB.Update], by [DB.Write] for several
// steps that come together, and by [DB.Load] for many quads. [DB.Seal] and [DB.Compact] keep it
// small, [DB.Log] and [DB.Diff] tell what it was. It may be used by several goroutines, and must be
// closed.
type DB struct {
	engine *engine.DB
	plans  *sparql.PlanCache
}

// cachedPlans is the number of plans that a DB keeps for its snapshots.
const cachedPlans = 256

// Open opens a graph by the path or URL of its manifest or of its folder (a URL that ends with a
// slash), or one segment, read-only, if the name ends with .rete. Of a graph nothing but the
// manifest is read before the first snapshot.
func Open(ctx context.Context, name string, opt *Options) (*DB, error) {
	name, err := manifest.Find(name)
	if err != nil {
		return nil, err
	}
	db, err := engine.Open(ctx, name, opt)
	if err != nil {
		return nil, err
	}
	return Of(db), nil
}

// Create makes an empty graph and opens it. The name is that of its folder, which is made if it is
// not there, as `rete init` does; or, if it ends with .rete-manifest.json, of its manifest. A graph
// that is there already is an error, that of [blob.ErrExists].
func Create(ctx context.Context, name string, opt *Options) (*DB, error) {
	found, err := manifest.Find(name)
	if err != nil {
		return nil, err
	}
	file, made := found, false
	if found == name {
		file = manifest.NewName(name)
	}
	if file != name && !blob.IsRemote(name) {
		err := os.Mkdir(name, 0o777)
		if made = err == nil; err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	db, err := engine.Init(ctx, file, nil, opt)
	if err != nil {
		if made {
			_ = os.Remove(name) // if it is empty
		}
		return nil, err
	}
	return Of(db), nil
}

// Of returns a database that answers queries on what the engine has open, as that of
// [engine.Init] with segments. Closing either closes both.
func Of(db *engine.DB) *DB { return &DB{db, sparql.NewPlanCache(cachedPlans)} }

// Engine returns the storage beneath: its log, its statistics, and what keeps it in order.
func (db *DB) Engine() *engine.DB { return db.engine }

// Name is the full path or URL of the manifest or segment.
func (db *DB) Name() string { return db.engine.Name() }

// Close ends what keeps the database in order; a write is completed or fails with [ErrClosed].
// Snapshots, and the rows of queries, stay usable until they are closed.
func (db *DB) Close() error { return db.engine.Close() }

// Refresh reads what other processes have committed, and reports whether there was any. What this
// process commits is known without it.
func (db *DB) Refresh(ctx context.Context) (moved bool, err error) { return db.engine.Refresh(ctx) }

// ShareMemory lets queries that draw from a pool have memory of the cache while that
// of the pool is used up; half of the cache stays.
func (db *DB) ShareMemory(pool *sparql.MemoryPool) { pool.Borrow(db.engine.Cache()) }

// Snapshot returns the state that the DB knows (see [DB.Refresh]). It must be closed. The first
// call after a change opens the new segments.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	s, err := db.engine.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return newSnapshot(s, db), nil
}

// View runs f on a snapshot, which is closed when f returns. The error is that of f.
func (db *DB) View(ctx context.Context, f func(s *Snapshot) error) error {
	if f == nil {
		return errors.New("rete: View has no function to run")
	}
	s, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}

// At returns the state of an earlier generation, as [DB.Log] lists them. It must be closed.
func (db *DB) At(ctx context.Context, generation int64) (*Snapshot, error) {
	s, err := db.engine.At(ctx, generation)
	if err != nil {
		return nil, err
	}
	return newSnapshot(s, db), nil
}

// Snapshot is one state of the graph.
type Snapshot struct {
	engine *engine.Snapshot
	db     *engine.DB
	plans  *sparql.PlanCache
}

func newSnapshot(s *engine.Snapshot, db *DB) *Snapshot {
	return &Snapshot{s, db.engine, db.plans}
}

// Engine returns the snapshot of the storage beneath. It ends with this one.
func (s *Snapshot) Engine() *engine.Snapshot { return s.engine }

// Close gives back what the snapshot holds. A second call does nothing.
func (s *Snapshot) Close() error { return s.engine.Close() }

// State names the state: equal names, equal content. [IfState] takes it.
func (s *Snapshot) State() string { return s.engine.State() }

// Generation is the number of the state in [DB.Log]; changes of the journal are above it.
func (s *Snapshot) Generation() int64 { return s.engine.Generation() }

// Len returns the exact number of quads.
func (s *Snapshot) Len(ctx context.Context) (uint64, error) { return s.engine.Len(ctx) }

// options adds the cache of plans and the tracer, unless the caller has others.
func (s *Snapshot) options(opts []sparql.Option) []sparql.Option {
	return append([]sparql.Option{sparql.CachePlans(s.plans), sparql.WithTracer(s.db.Tracer())}, opts...)
}

// Dataset returns the snapshot as the query engine sees it, for programs that call
// package sparql themselves. It is valid until the snapshot is closed.
func (s *Snapshot) Dataset() dataset.Dataset { return s.engine }

// Select runs a SELECT query. The rows must be read to the end or closed.
func (s *Snapshot) Select(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Rows, error) {
	if err := s.engine.Ended(); err != nil {
		return nil, err
	}
	return sparql.Select(ctx, s.engine, q, s.options(opts)...)
}

// Ask runs an ASK query.
func (s *Snapshot) Ask(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (bool, error) {
	if err := s.engine.Ended(); err != nil {
		return false, err
	}
	return sparql.Ask(ctx, s.engine, q, s.options(opts)...)
}

// Construct runs a CONSTRUCT query.
func (s *Snapshot) Construct(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Triples, error) {
	if err := s.engine.Ended(); err != nil {
		return nil, err
	}
	return sparql.Construct(ctx, s.engine, q, s.options(opts)...)
}

// Describe runs a DESCRIBE query.
func (s *Snapshot) Describe(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Triples, error) {
	if err := s.engine.Ended(); err != nil {
		return nil, err
	}
	return sparql.Describe(ctx, s.engine, q, s.options(opts)...)
}

// WriteTo runs a query of any form and writes its answer as a stream. If it fails
// after the first bytes, what was written does not look whole where the format can
// show it, and the error says why.
func (s *Snapshot) WriteTo(ctx context.Context, w io.Writer, f sparql.Format, q *sparql.Query, opts ...sparql.Option) error {
	if err := s.engine.Ended(); err != nil {
		return err
	}
	return sparql.WriteTo(ctx, w, f, s.engine, q, s.options(opts)...)
}
