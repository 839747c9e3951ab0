package engine

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/fsck"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/engine/manifest"
)

// What [Check] takes and gives.
type (
	// CheckOptions are the choices of [Check]. The zero value and nil work.
	CheckOptions = fsck.Options
	// CheckReport is what a check found.
	CheckReport = fsck.Report
	// Finding is one thing that a check found.
	Finding = fsck.Finding
	// Severity says how bad a finding is.
	Severity = fsck.Severity
)

// The severities.
const (
	SeverityNote    = fsck.SeverityNote    // as it should be, but worth knowing
	SeverityWarning = fsck.SeverityWarning // nothing is lost, somebody should act
	SeverityDamage  = fsck.SeverityDamage  // data is hurt, or cannot be read
)

// Check reads everything that belongs to a manifest: the journal, line by line, and the
// manifest; the archives, each pinned by the next; every segment of every generation,
// whole; and what was left behind. What is wrong is in the report; an error says that
// the check itself could not go on.
//
// Writers, seals, compactions and collections may run meanwhile. The check reads one
// state, as readers do, the journal's files before the manifest; what is wrong in it
// counts if it is read again with the same result, and a file that is missing counts if
// it is still needed.
func Check(ctx context.Context, name string, opt *CheckOptions, dbo *Options) (*CheckReport, error) {
	o := dbo.withDefaults()
	file, err := manifest.Open(name, o.mux())
	if err != nil {
		return nil, err
	}
	at := &fsck.Place{FS: o.FS, ReadOnly: o.ReadOnly || blob.IsRemote(file.Name()), OwnerWait: o.OwnerWait, Logger: o.Logger}
	if at.Journal, err = o.journalName(file.Name()); err != nil {
		return nil, err
	}
	cache := o.Cache
	if cache == nil {
		cache = NewCache(o.CacheBytes)
		defer cache.Close()
	}
	at.Segments = &segments.Store{Mux: file.Store(), File: file, Cache: cache}
	if opt == nil {
		opt = &CheckOptions{}
	}
	return fsck.Check(ctx, at, opt)
}
