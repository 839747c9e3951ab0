// Package collect removes the files that no generation of a manifest that stays needs, nor
// any other manifest of the folder. It marks such a file first, and deletes it in a later
// run: see [Run].
package collect

import (
	"context"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// Options are the choices of [Run]. The zero value and nil work, and
// delete nothing.
type Options struct {
	// Keep is how many generations stay, the current one included; 0: all.
	Keep int
	// OlderThan lets generations go that are older than this; 0: none by their
	// age. With both a generation goes if both let it.
	OlderThan time.Duration
	// Grace is how long a file stays after the first collection that found that
	// nobody needs it, or after the commit that dropped it. Default 24 h.
	Grace time.Duration
	// Yes performs the marking and the deletion; false is a dry run.
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
	// Warnings say what was not done, since a store refused it.
	Warnings []string `json:"warnings,omitempty"`
}

// Garbage is a file that no generation that stays needs.
type Garbage struct {
	Name string `json:"name"`
	// Kind is segment, tree (a hash tree of one), archive, temporary, or upload: one of those that
	// is sent to a store in parts.
	Kind string `json:"kind"`
	Size int64  `json:"size"` // 0 of an upload: the store does not tell
	// Since is when it was dropped, or else marked; nil if it is not marked yet. An upload is not
	// marked: it is when that was begun.
	Since *time.Time `json:"since,omitempty"`
	// State is found (not marked yet), marked, due (a collection with Yes deletes
	// it) or deleted.
	State string `json:"state"`

	full    string
	abort   func(context.Context) error // of an upload
	written bool                        // by a commit of this manifest, as its history shows
}

// Kept is a file that this manifest does not need and that stays for another one.
type Kept struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // segment, tree or temporary
	Size int64  `json:"size"`
	// For is the manifest, or the archive of one, by its name in the directory.
	For string `json:"for"`
	// Reason is named (For names the file) or same-name (For has the graph name of this
	// manifest, so that the file may be its own).
	Reason string `json:"reason"`
}

// Run finds files that nobody needs and, if the options say so, marks or deletes them; see
// engine.DB.Collect. The options must be complete.
func Run(ctx context.Context, file *manifest.File, fsys vfs.FS, o *Options) (*Collection, error) {
	if blob.IsRemote(file.Name()) {
		return runRemote(ctx, file, o)
	}
	c := newCollector(file, fsys, o)
	if err := c.scanAll(ctx); err != nil {
		return nil, err
	}
	if o.Yes {
		if err := c.deleteDue(ctx); err != nil {
			return c.report(), err
		}
	}
	return c.report(), nil
}

func (c *collector) report() *Collection {
	return report(c.cur, c.oldest, c.opt, c.files, c.kept, c.live)
}

func report(cur *manifest.Manifest, oldest int64, o *Options, files []Garbage, kept []Kept, live map[string]int64) *Collection {
	out := &Collection{Schema: 1, Generation: cur.Generation, Oldest: oldest, DryRun: !o.Yes, Files: files, Kept: kept}
	for _, size := range live {
		out.LiveBytes += size
	}
	for _, k := range kept {
		out.KeptBytes += k.Size
	}
	for i := range files {
		switch f := &files[i]; f.State {
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
