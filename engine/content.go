package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/rdf"
)

// Content is one state of a database as its files hold it, without the segments: what a
// backup copies, see package backup.
type Content struct {
	Manifest *manifest.Manifest
	Raw      []byte // the manifest's bytes, not to be changed
	// Journal holds the whole batches of the journal's files, oldest first, without
	// files that are sealed. It is not to be changed.
	Journal [][]byte
	// JournalID names the journal, "" if there is none. Batch is its last batch in this state, 0 if there
	// never was one, and Changes the number of changes that are in no segment yet.
	JournalID      string
	Batch, Changes int64
	// NoJournal is where the journal is expected and is not, though the manifest has sealed
	// changes of one: it lies elsewhere, or is lost. "" if nothing is missing.
	NoJournal string
}

// Content reads the journal and then the manifest, as every reader does: what a seal
// moves from one to the other meanwhile is in one of them. Writers go on.
func (db *DB) Content(ctx context.Context) (*Content, error) {
	return operate(ctx, db, func(ctx context.Context) (*Content, error) { return db.content(ctx) })
}

func (db *DB) content(ctx context.Context) (*Content, error) {
	file, err := db.manifestFile()
	if err != nil {
		return nil, err
	}
	c, chain, err := db.contentOnce(ctx, file)
	if err != nil {
		return nil, err
	}
	if c.NoJournal != "" {
		// The journal may have begun, and been sealed, between the two reads: a journal is
		// there before anything of it is sealed, so what is missing now is missing.
		if c, chain, err = db.contentOnce(ctx, file); err != nil {
			return nil, err
		}
	}
	for _, f := range chain.Unsealed(c.Manifest.Sealed[chain.ID()]) {
		c.Journal = append(c.Journal, f.Whole())
	}
	return c, nil
}

// contentOnce reads the journal and the manifest once; [Content.Journal] is left out.
func (db *DB) contentOnce(ctx context.Context, file *manifest.File) (*Content, *journal.Chain, error) {
	chain, _, err := db.readOn(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	cur, err := file.ReadStored(ctx) // once more, for its bytes: it may only be newer
	if err != nil {
		return nil, nil, err
	}
	if err := chain.Fits(logOf(cur.Manifest)); err != nil {
		return nil, nil, err
	}
	sealed := cur.Sealed[chain.ID()]
	c := &Content{Manifest: cur.Manifest, Raw: cur.Raw,
		JournalID: chain.ID(), Batch: max(chain.Last(), sealed), Changes: chain.Lines(sealed)}
	if len(chain.Files) == 0 && len(cur.Sealed) > 0 && !blob.IsRemote(db.name) {
		c.NoJournal = db.journal
	}
	return c, chain, nil
}

// Before reads the archived generation before that of a manifest, and checks that it is
// the one that the manifest names; raw is the bytes of it. It is [ErrNoGeneration] if it is not
// kept any more.
func (db *DB) Before(ctx context.Context, next *manifest.Manifest) (before *manifest.Manifest, raw []byte, err error) {
	s, err := operate(ctx, db, func(ctx context.Context) (*manifest.Stored, error) { return db.versionBefore(ctx, next) })
	if err != nil {
		return nil, nil, err
	}
	return s.Manifest, s.Raw, nil
}

func (db *DB) versionBefore(ctx context.Context, next *manifest.Manifest) (*manifest.Stored, error) {
	file, err := db.manifestFile()
	if err != nil {
		return nil, err
	}
	g := next.Generation - 1
	if g < 1 {
		return nil, fmt.Errorf("%s: %w: %d is the first", db.name, ErrNoGeneration, next.Generation)
	}
	old, err := file.ReadArchive(ctx, g)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w: %d is not kept: %w", db.name, ErrNoGeneration, g, err)
	}
	if err != nil {
		return nil, err
	}
	if err := file.Follows(old, next); err != nil {
		return nil, err
	}
	return &old, nil
}

// Store finds objects by the names that the manifest uses for them.
func (db *DB) Store() *blob.Mux { return db.store.Mux }

// RestoredJournal returns the changes of a journal that are not sealed, as a journal of
// its own for a manifest: with a name and a lineage that no other has. files are those of
// [Content.Journal], and m is the manifest that was read with them; id is 32 hex digits.
// Anything but whole batches that belong to m is damage.
func RestoredJournal(name string, files [][]byte, m *manifest.Manifest, id, lineage string) ([]byte, error) {
	chain, err := journal.Parse(name, files)
	if err != nil {
		return nil, err
	}
	if err := chain.Fits(logOf(m)); err != nil {
		return nil, err
	}
	sealed := m.Sealed[chain.ID()]
	if err := chain.Each(sealed, func(int64, bool, *rdf.RawQuad) error { return nil }); err != nil {
		return nil, err
	}
	return chain.Rewrite(sealed, journal.Header{ID: id, Lineage: lineage, Base: m.Generation}), nil
}
