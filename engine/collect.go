package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/collect"
	"github.com/rete-go/rete/engine/internal/folder"
)

// What [DB.Collect] takes and gives.
type (
	// CollectOptions are the choices of [DB.Collect]. The zero value and nil work, and
	// delete nothing.
	//
	// As it is declared:
	//
	//	type CollectOptions struct {
	//	    // Keep is how many generations stay, the current one included; 0: all.
	//	    Keep int
	//	    // OlderThan lets generations go that are older than this; 0: none by their
	//	    // age. With both a generation goes if both let it.
	//	    OlderThan time.Duration
	//	    // Grace is how long a file stays after the first collection that found that
	//	    // nobody needs it, or after the commit that dropped it. Default 24 h.
	//	    Grace time.Duration
	//	    // Yes performs the marking and the deletion; false is a dry run.
	//	    Yes bool
	//	    // Now is the clock; nil is the system's.
	//	    Now func() time.Time
	//	}
	CollectOptions = collect.Options
	// Collection is what a collection found and did.
	//
	// As it is declared:
	//
	//	type Collection struct {
	//	    Schema       int       `json:"schema"` // 1
	//	    Generation   int64     `json:"generation"`
	//	    Oldest       int64     `json:"oldest"` // the oldest generation that stays
	//	    DryRun       bool      `json:"dry_run"`
	//	    Marked       int       `json:"marked"`
	//	    Deleted      int       `json:"deleted"`
	//	    DeletedBytes int64     `json:"deleted_bytes"`
	//	    LiveBytes    int64     `json:"live_bytes"`    // of the segments that stay
	//	    GarbageBytes int64     `json:"garbage_bytes"` // that wait for their time
	//	    KeptBytes    int64     `json:"kept_bytes"`    // that stay for other manifests
	//	    Files        []Garbage `json:"files"`
	//	    Kept         []Kept    `json:"kept"`
	//	    // Warnings say what was not done, since a store refused it.
	//	    Warnings []string `json:"warnings,omitempty"`
	//	}
	Collection = collect.Collection
	// Garbage is a file that no generation that stays needs.
	//
	// As it is declared:
	//
	//	type Garbage struct {
	//	    Name string `json:"name"`
	//	    // Kind is segment, tree (a hash tree of one), archive, temporary, or upload: one of those that
	//	    // is sent to a store in parts.
	//	    Kind string `json:"kind"`
	//	    Size int64  `json:"size"` // 0 of an upload: the store does not tell
	//	    // Since is when it was dropped, or else marked; nil if it is not marked yet. An upload is not
	//	    // marked: it is when that was begun.
	//	    Since *time.Time `json:"since,omitempty"`
	//	    // State is found (not marked yet), marked, due (a collection with Yes deletes
	//	    // it) or deleted.
	//	    State string `json:"state"`
	//	}
	Garbage = collect.Garbage
	// Kept is a file that this manifest does not need and that stays for another one.
	//
	// As it is declared:
	//
	//	type Kept struct {
	//	    Name string `json:"name"`
	//	    Kind string `json:"kind"` // segment, tree or temporary
	//	    Size int64  `json:"size"`
	//	    // For is the manifest, or the archive of one, by its name in the directory.
	//	    For string `json:"for"`
	//	    // Reason is named (For names the file) or same-name (For has the graph name of this
	//	    // manifest, so that the file may be its own).
	//	    Reason string `json:"reason"`
	//	}
	Kept = collect.Kept
)

// Collect removes files that nobody needs, in two steps. The first collection that
// finds such a file marks it; a later one, after the generation has moved on and
// the grace period has passed, deletes it.
//
// Needed is what the generations that stay name, and what any other manifest in the
// directory, or any archive of one, names. A manifest is found by its content, whatever
// its name is; one that names itself a manifest and cannot be read is an error, and
// nothing is deleted. Manifests in other directories are not seen.
//
// Deleted are only segments that commits of this manifest wrote, as its history shows,
// or that have a name which such a commit would give and no other manifest of the
// directory could; archives of this manifest; and temporary files of both. What [Init]
// or [DB.Add] were given is never deleted.
func (db *DB) Collect(ctx context.Context, opt *CollectOptions) (*Collection, error) {
	return operate(ctx, db, func(ctx context.Context) (*Collection, error) { return db.collect(ctx, opt) })
}

func (db *DB) collect(ctx context.Context, opt *CollectOptions) (*Collection, error) {
	var o CollectOptions
	if opt != nil {
		o = *opt
	}
	if o.Grace <= 0 {
		o.Grace = 24 * time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if _, err := db.manifestFile(); err != nil {
		return nil, err
	}
	if db.ReadOnly() && o.Yes {
		return nil, fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	}
	if err := db.open(); err != nil {
		return nil, err
	}
	return collect.Run(ctx, db.file, db.opt.FS, &o)
}

// Unused returns nil if nothing that a manifest needs is lost when a file is replaced:
// if it is not there, is no regular file, or no manifest in its directory, whatever its
// name is, names it or has it as its own, as an archive, a journal, or what else lies
// next to a manifest. Otherwise the error matches [ErrInUse] and names the manifest. A
// symbolic link stands for the file that it leads to, and manifests next to either count.
// Where a manifest cannot be read, a segment counts as in use.
func Unused(ctx context.Context, name string) error { return folder.Unused(ctx, name) }
