package engine

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/vfs"
)

// Cache keeps decoded units of segments, up to a number of bytes. One cache may
// serve all databases of a process.
//
// As it is declared:
//
//	// Close ends the loads under way, waits for them and drops everything.
//	// Later Gets fail with context.Canceled unless the value is kept.
//	func (c *Cache) Close() error
//
//	// Lend makes the cache smaller by up to the given bytes, dropping units, until they
//	// are given back by [Cache.Return], and returns by how many. Half of the cache is
//	// not lent.
//	func (c *Cache) Lend(bytes int64) int64
//
//	// Return gives back bytes that were lent, or more than those: it never makes the
//	// cache larger than it was made.
//	func (c *Cache) Return(bytes int64)
type Cache = cache.Cache

// NewCache returns a cache of n bytes. Close it when no database uses it
// any more.
func NewCache(n int64) *Cache { return cache.New(n) }

// Options are the choices of [Open] and [Init]. The zero value and nil work.
type Options struct {
	// CacheBytes bounds the decoded units that are kept, if Cache is nil; a
	// quarter as much again, 32 MiB at most, is what small layers may take in memory.
	// Default 128 MiB.
	CacheBytes int64
	// Cache is shared with other databases. Default: one of its own.
	Cache *Cache
	// CacheDir is a directory in which what is read of remote segments is kept, up to
	// CacheDirBytes (default 1 GiB); others may use it at the same time. Default: nothing
	// is kept.
	CacheDir      string
	CacheDirBytes int64
	// TrustUnverified reads remote segments of other programs, which have no map, and of
	// which there is no hash tree, by the sizes and validators that the server gives alone.
	// Default: they are read and hashed whole before their first use.
	TrustUnverified bool
	// HTTP makes the requests to web servers. Default: a client of our own.
	HTTP *http.Client
	// Stores adds stores for names of the form scheme://….
	Stores map[string]blob.Store
	// FS is the file system of local names. Default: the operating system's.
	FS blob.FS
	// ReadOnly refuses every write, and takes no lock.
	ReadOnly bool
	// SealedOnly opens the log alone, as if there were no journal, for reading.
	SealedOnly bool
	// Writer takes the ownership of the journal when the database is opened, and
	// keeps it until it is closed: what a server does. Without it the first write
	// does.
	Writer bool
	// OwnerWait is how long a write waits for another owner of the journal that does
	// not serve it, and so will soon be done. Default: it does not wait.
	OwnerWait time.Duration
	// Journal is the path of the journal, relative to the working directory as it is
	// when the database is opened.
	// Default: <manifest>.changes next to a local manifest. A remote one has none: each write
	// is a commit of its own then.
	Journal string
	// Sync says when a write is acknowledged. Default: SyncAlways.
	Sync SyncMode
	// SyncEvery is the interval of SyncInterval. Default 50 ms.
	SyncEvery time.Duration
	// MaxBatchBytes and MaxBatchLines bound a batch of the journal; a larger write
	// becomes an entry of the log at once. Defaults: 64 MiB and 100,000.
	MaxBatchBytes, MaxBatchLines int64
	// WriteMemory bounds what a transaction holds of its changes, in bytes as they are
	// counted; beyond it, and where [Tx.Draw] is refused, they are written to segments that
	// are committed with the rest. If that fails, so does the transaction. Default: 128 MiB.
	WriteMemory int64
	// Fold bounds compactions that have no bound of their own, also those of [DB.Maintain]: its
	// MaxMemory, Memory, Hold, TempDir and MaxScratch. Default: no bounds.
	Fold compaction.Options
	// Warm, if it is not nil, fills the cache before queries ask. Default: not.
	Warm *WarmOptions
	// Logger gets one line an event. Default: none.
	Logger *slog.Logger
	// Tracer gets a span of each write ("rete.write"), of what a write, add, seal, compaction and
	// revert are, from their beginning to the end ("rete.add", "rete.seal", "rete.compact",
	// "rete.revert"), and inside these of the commit ("rete.commit"). Databases of package rete
	// hand it to their queries and updates too; see [sparql.WithTracer]. Default: none.
	Tracer dataset.Tracer
}

// SyncMode says when a write is acknowledged.
//
// As it is declared:
//
//	type SyncMode uint8
type SyncMode = journal.Mode

// The modes. With the last two a crash of the machine, not of the process, can
// lose writes that were acknowledged, the last ones first.
const (
	SyncAlways   = journal.Always   // when it is on disk
	SyncInterval = journal.Interval // when it is written; it is synced within an interval
	SyncNever    = journal.Never    // when it is written
)

const (
	defaultCache       = 128 << 20
	defaultBatchBytes  = 64 << 20
	defaultBatchLines  = 100_000
	defaultWriteMemory = 128 << 20
	// maxDelta bounds the small layers that are taken into memory: they are read
	// whole before the first query is answered.
	maxDelta = defaultCache / 4
)

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.CacheBytes <= 0 {
		c.CacheBytes = defaultCache
	}
	c.ReadOnly = c.ReadOnly || c.SealedOnly
	if c.MaxBatchBytes <= 0 {
		c.MaxBatchBytes = defaultBatchBytes
	}
	if c.MaxBatchLines <= 0 {
		c.MaxBatchLines = defaultBatchLines
	}
	if c.WriteMemory <= 0 {
		c.WriteMemory = defaultWriteMemory
	}
	if c.FS == nil {
		c.FS = vfs.OS()
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

func (o *Options) mux() blob.MuxOptions {
	return blob.MuxOptions{FS: o.FS, HTTP: o.HTTP, Schemes: o.Stores}
}
