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
	CollectOptions = collect.Options
	// Collection is what a collection found and did.
	Collection = collect.Collection
	// Garbage is a file that no generation that stays needs.
	Garbage = collect.Garbage
	// Kept is a file that this manifest does not need and that stays for another one.
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
