package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rete-go/rete/blob"
)

// CollectOptions are the choices of [DB.Collect]. The zero value and nil work, and
// delete nothing.
type CollectOptions struct {
	// Keep is how many generations stay, the current one included; 0: all.
	Keep int
	// OlderThan lets generations go that are older than this; 0: none by their
	// age. With both a generation goes if both let it.
	OlderThan time.Duration
	// Grace is how long a file stays after the first collection that found that
	// nobody needs it, or after the commit that dropped it. Default 24 h.
	Grace time.Duration
	// Yes marks and deletes; without it nothing is changed.
	Yes bool
	// Now is the clock; nil is the system's.
	Now func() time.Time
}

// Collection is what a collection found and did.
type Collection struct {
	Schema       int       `json:"schema"` // 1
	Generation   int64     `json:"generation"`
	Oldest       int64     `json:"oldest"` // the oldest generation that stays
	DryRun       bool      `json:"dry_run"`
	Marked       int       `json:"marked"`
	Deleted      int       `json:"deleted"`
	DeletedBytes int64     `json:"deleted_bytes"`
	LiveBytes    int64     `json:"live_bytes"`    // of the segments that stay
	GarbageBytes int64     `json:"garbage_bytes"` // that wait for their time
	KeptBytes    int64     `json:"kept_bytes"`    // that stay for other manifests
	Files        []Garbage `json:"files"`
	Kept         []Kept    `json:"kept"`
}

// Garbage is a file that no generation that stays needs.
type Garbage struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // segment, archive or temporary
	Size int64  `json:"size"`
	// Since is when it was dropped, or else marked; nil if it is not marked yet.
	Since *time.Time `json:"since,omitempty"`
	// State is found (not marked yet), marked, due (a collection with Yes deletes
	// it) or deleted.
	State string `json:"state"`

	full    string
	written bool // by a commit of this manifest, as its history shows
}

// Kept is a file that this manifest does not need and that stays for another one.
type Kept struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // segment or temporary
	Size int64  `json:"size"`
	// For is the manifest, or the archive of one, by its name in the directory.
	For string `json:"for"`
	// Reason is named (For names the file) or same-name (For has the graph name of this
	// manifest, so that the file may be its own).
	Reason string `json:"reason"`
}

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
	if db.ReadOnly() && (o.Yes || blob.IsRemote(db.name)) {
		return nil, fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	}
	if err := db.open(); err != nil {
		return nil, err
	}
	c := newCollector(db, &o)
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if o.Yes {
		if err := c.sweep(ctx); err != nil {
			return c.report(), err
		}
	}
	return c.report(), nil
}

func (c *collector) report() *Collection {
	out := &Collection{Schema: 1, Generation: c.cur.Generation, Oldest: c.oldest, DryRun: !c.opt.Yes, Files: c.files, Kept: c.kept}
	for _, size := range c.live {
		out.LiveBytes += size
	}
	for _, k := range c.kept {
		out.KeptBytes += k.Size
	}
	for i := range c.files {
		switch f := &c.files[i]; f.State {
		case "deleted":
			out.Deleted++
			out.DeletedBytes += f.Size
		default:
			if f.State != "found" {
				out.Marked++
			}
			out.GarbageBytes += f.Size
		}
	}
	if out.Files == nil {
		out.Files = []Garbage{}
	}
	if out.Kept == nil {
		out.Kept = []Kept{}
	}
	return out
}
