package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// AddOptions are the choices of [DB.Add] and [Init]. The zero value and nil work.
type AddOptions struct {
	manifest.CommitOptions
	// Build is how documents become segments.
	Build segment.BuildOptions
	// Warn gets what people should know and what is no error, in one line: that
	// two segments of other programs share blank nodes, or that a segment lies with
	// another manifest, which knows nothing of this one. Nil: neither is looked for.
	Warn func(message string)
	// Inside copies segments that lie elsewhere than with the manifest or below, so that the
	// folder of the manifest has all that the graph is made of.
	Inside bool
	// NoSeal makes Add fail with ErrConflict where the journal has changes that it
	// would have to seal first.
	NoSeal bool
}

func (o *AddOptions) withDefaults() AddOptions {
	if o == nil {
		return AddOptions{}
	}
	return *o
}

// Add appends one entry for each step, all in one commit, and returns the
// manifest that has them; without quads there is nothing to commit and it is the
// current one. The segments lie next to the manifest, synced, before it names
// them. An error that matches [ErrUnknownOutcome] leaves open whether they are
// committed; after any other nothing is.
//
// Changes that are in the journal are older, so they are sealed in the same commit.
//
// Add finishes with the new state known to the DB, so the next [DB.Snapshot] has it.
func (db *DB) Add(ctx context.Context, steps []Step, opt *AddOptions) (*manifest.Manifest, error) {
	return changeLog(ctx, db, "rete.add", func(ctx context.Context) (*manifest.Manifest, error) { return db.addSteps(ctx, steps, opt) })
}

func (db *DB) addSteps(ctx context.Context, steps []Step, opt *AddOptions) (*manifest.Manifest, error) {
	o := opt.withDefaults()
	base, err := db.addable(ctx)
	if err != nil {
		return nil, err
	}
	if g := o.IfGeneration; g != nil && *g != base.Generation {
		// Known before anything is built; Commit would say the same.
		return nil, fmt.Errorf("%s: %w: generation %d was asked for, the manifest is at %d", db.name, ErrConflict, *g, base.Generation)
	}
	w, err := db.newMaker(base, o.Build, o.Warn)
	if err != nil {
		return nil, err
	}
	w.Inside = o.Inside
	m, err := db.addEntries(ctx, w, steps, &o)
	if err != nil {
		if m == nil {
			w.Undo(ctx, err)
		}
		return nil, err
	}
	db.opt.Logger.Info("committed", "manifest", db.name, "generation", m.Generation, "entries", len(m.Log))
	return m.Clone(), nil
}

// addable reads the manifest that entries are to be added to.
func (db *DB) addable(ctx context.Context) (*manifest.Manifest, error) {
	file, err := db.manifestFile()
	if err != nil {
		return nil, err
	}
	if db.ReadOnly() {
		return nil, fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	}
	base, err := file.Read(ctx)
	if err != nil {
		return nil, err
	}
	return base, db.open()
}

// lockLog keeps seals and writers out until unlock.
func (db *DB) lockLog(ctx context.Context) (unlock func(), err error) {
	if err := db.sealing.Lock(ctx); err != nil {
		return nil, err
	}
	if err = db.open(); err == nil {
		err = db.writing.Lock(ctx)
	}
	if err != nil {
		db.sealing.Unlock()
		return nil, err
	}
	return func() { db.writing.Unlock(); db.sealing.Unlock() }, nil
}

func (db *DB) addEntries(ctx context.Context, w *segments.Maker, steps []Step, o *AddOptions) (*manifest.Manifest, error) {
	entries, err := w.Entries(ctx, steps)
	if err != nil {
		return nil, err
	}
	unlock, err := db.lockLog(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return db.appendLog(ctx, w, &o.CommitOptions, o.NoSeal, entries)
}

// InitOptions are the choices of [Init].
type InitOptions struct {
	AddOptions
	// Name of the graph, a prefix of file names. Default: the manifest's file
	// name without its suffix.
	Name string
	// Bases become one entry each, oldest first; none makes an empty graph.
	Bases []Source
}

// Init makes the first generation of a manifest, which is the file NAME, by convention with the
// end .rete-manifest.json, and opens it. A manifest that is there already is [blob.ErrExists].
func Init(ctx context.Context, name string, opt *InitOptions, dbo *Options) (*DB, error) {
	var o InitOptions
	if opt != nil {
		o = *opt
	}
	do := dbo.withDefaults()
	file, err := manifest.Open(name, do.mux())
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = defaultName(file.Name())
	}
	if err := manifest.CheckName(o.Name); err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	if g := o.IfGeneration; g != nil && *g != 0 {
		return nil, fmt.Errorf("%s: %w: generation %d was asked for, and a new manifest has none", file.Name(), ErrConflict, *g)
	}
	var invalid *manifest.Error
	switch _, err := file.Read(ctx); {
	case errors.Is(err, blob.ErrNotFound):
	case err != nil && blob.IsRemote(file.Name()) && !errors.As(err, &invalid):
		return nil, err // whether there is one is not known
	default:
		return nil, fmt.Errorf("%s: %w", file.Name(), blob.ErrExists) // whatever it is, it stays
	}
	db, err := newDB(file.Name(), do, file.Store(), &manifest.Manifest{Name: o.Name})
	if err != nil {
		return nil, err
	}
	db.bind(file)
	if err := db.unjournalled(); err != nil {
		db.Close()
		return nil, err
	}
	w, err := db.newMaker(db.Manifest(), o.Build, o.Warn)
	if err != nil {
		db.Close()
		return nil, err
	}
	w.Inside = o.Inside
	m, err := initFile(ctx, w, file, &o)
	if err != nil {
		w.Undo(ctx, err)
		db.Close()
		return nil, err
	}
	db.mu.Lock()
	db.manifest = m
	db.mu.Unlock()
	if do.Writer {
		if err := db.Own(ctx); err != nil {
			db.Close()
			return nil, err
		}
	}
	db.startWarming()
	return db, nil
}

func initFile(ctx context.Context, w *segments.Maker, file *manifest.File, o *InitOptions) (*manifest.Manifest, error) {
	var steps []Step
	for i := range o.Bases {
		steps = append(steps, Step{Adds: &o.Bases[i]})
	}
	entries, err := w.Entries(ctx, steps)
	if err != nil {
		return nil, err
	}
	release, err := w.Hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return file.Init(ctx, &o.CommitOptions, &manifest.Manifest{Name: o.Name, Log: entries, Prefixes: w.Prefixes()})
}

// defaultName is the file name without its suffix, as far as names allow.
func defaultName(full string) string {
	_, file := blob.Split(full)
	for _, suffix := range []string{manifest.Suffix, ".json"} {
		if n := len(file) - len(suffix); n > 0 && file[n:] == suffix {
			file = file[:n]
		}
	}
	return file
}
