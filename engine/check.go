package engine

import (
	"context"

	"github.com/rete-go/rete/engine/internal/fsck"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
)

// What [Check] takes and gives.
type (
	// CheckOptions are the choices of [Check]. The zero value and nil work.
	//
	// As it is declared:
	//
	//	type CheckOptions struct {
	//	    // Repair does what is safe: a torn tail of the journal is saved and cut off, journal
	//	    // files that are sealed are dropped, temporary files older than a day are
	//	    // removed. Nothing that was acknowledged is touched.
	//	    Repair bool
	//	    // DropTail gives up what damage makes unreadable of the journal, from the damaged
	//	    // batch to the end, and accepts that batches are missing which were on disk. What
	//	    // there is of it is kept in a file. Changes that were acknowledged are lost.
	//	    DropTail bool
	//	    // Adopt takes over a journal of another manifest, or one of a later generation,
	//	    // such as an older copy of the manifest has next to it: its changes come after
	//	    // what the log has.
	//	    Adopt bool
	//	    // Accept takes over a manifest that is [manifest.ErrNotAsWritten] as a new generation, if
	//	    // every segment that it names is whole. What differs from the archive that it pins
	//	    // is in the report, with this option and without.
	//	    Accept bool
	//	    // Retire is the id of a journal that will not come again: its key goes from sealed, and
	//	    // nothing more of it comes to the log. "": none.
	//	    Retire string
	//	    // Progress is called with what is looked at.
	//	    Progress func(object string)
	//	}
	CheckOptions = fsck.Options
	// CheckReport is what a check found.
	//
	// As it is declared:
	//
	//	type CheckReport struct {
	//	    Schema     int       `json:"schema"` // 1
	//	    Manifest   string    `json:"manifest"`
	//	    Generation int64     `json:"generation"`
	//	    OK         bool      `json:"ok"` // no damage
	//	    Segments   int       `json:"segments"`
	//	    Archives   int       `json:"archives"`
	//	    Batches    int64     `json:"batches"` // in the journal
	//	    Unsealed   int64     `json:"unsealed"`
	//	    Findings   []Finding `json:"findings"`
	//	    // Journals says of all that have sealed changes up to which batch.
	//	    Journals map[string]int64 `json:"journals,omitempty"`
	//
	//	    // Compared is the archive that the manifest was compared with, and Differences is
	//	    // what differs in it, for a manifest that is [manifest.ErrNotAsWritten]; else both are empty.
	//	    // What the last commit changed differs too.
	//	    Compared    string                `json:"compared,omitempty"`
	//	    Differences []manifest.Difference `json:"differences,omitempty"`
	//	}
	CheckReport = fsck.Report
	// Finding is one thing that a check found.
	//
	// As it is declared:
	//
	//	type Finding struct {
	//	    Object   string   `json:"object"`
	//	    Severity Severity `json:"severity"`
	//	    Problem  string   `json:"problem"`
	//	    Repaired bool     `json:"repaired"`
	//	}
	Finding = fsck.Finding
	// Severity says how bad a finding is.
	//
	// As it is declared:
	//
	//	type Severity string
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
	at := &fsck.Place{FS: o.FS, ReadOnly: o.ReadOnly, OwnerWait: o.OwnerWait, Logger: o.Logger}
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
