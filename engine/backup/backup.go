package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
)

// Options are the choices of [Place.Backup]. The zero value and nil work.
type Options struct {
	// Generations is how many are copied, the current one included; fewer if fewer are
	// kept. 0 is 1, and below zero stands for all.
	Generations int
	// Fetch copies segments too that manifests name by scheme://…. Without it they stay
	// there, and the restored manifest names them as this one does.
	Fetch bool
	// Trust takes a segment that an earlier backup of this graph has, by the pin of the
	// manifest, to be there unread. Without it all bytes are read, here and there.
	Trust bool
	// Keep, above 0, removes older backups of this graph, so that as many stay, and the
	// files that no backup of the place needs any more.
	Keep int
	// Parallel is how many segments are copied at once. Default: four where the graph or the
	// place is not local, else one.
	Parallel int
	// Wait is how long the call waits for another backup that is made into the place.
	// Default: it does not wait.
	Wait time.Duration
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Progress is called with the object that is read and the bytes read since the last
	// call, by one goroutine at a time.
	Progress func(object string, bytes int64)
}

// Result is what a backup did, with the names of `rete backup --json`.
type Result struct {
	Schema      int      `json:"schema"` // 1
	Place       string   `json:"place"`
	Backup      string   `json:"backup"` // the name of its list
	Graph       string   `json:"graph"`
	Generation  int64    `json:"generation"`
	Generations int      `json:"generations"`
	Changes     int64    `json:"changes"` // of the journal
	Segments    int      `json:"segments"`
	Bytes       int64    `json:"bytes"` // of all files of the backup
	Copied      int      `json:"copied"`
	CopiedBytes int64    `json:"copied_bytes"`
	Repaired    int      `json:"repaired"` // files of the place that were damaged
	Remote      []string `json:"remote"`   // segments that were left where they are
	Began       int      `json:"began"`    // how often, since generations were collected meanwhile
	Removed     []string `json:"removed"`  // older backups
	RemovedSize int64    `json:"removed_bytes"`
}

// maxBegin is how often a backup begins again while generations are collected under it.
const maxBegin = 100

// Backup copies a database to the place, and returns when the copy was verified and is
// complete. Writers, seals, compactions and collections go on meanwhile, also those of
// other processes; the copy is one state that readers could see during the call.
//
// An error leaves no backup behind, and what was copied is not copied again.
func (p *Place) Backup(ctx context.Context, db *engine.DB, opt *Options) (*Result, error) {
	var o Options
	if opt != nil {
		o = *opt
	}
	if o.Generations == 0 {
		o.Generations = 1
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Keep > 0 && p.fs == nil {
		return nil, p.unpruned()
	}
	if p.holds(db.Name()) {
		return nil, fmt.Errorf("%s: the graph lies there: a backup in the same folder is lost with it; choose another one", p.name)
	}
	content, err := db.Content(ctx)
	if err != nil {
		return nil, err // before anything is made
	}
	if content.NoJournal != "" {
		return nil, fmt.Errorf("%s: %w; say by --journal where it is, or leave what it has out by --sealed-only", content.NoJournal, ErrNoJournal)
	}
	release, err := p.prepare(ctx, o.Wait)
	if err != nil {
		return nil, err
	}
	defer release()
	r := &run{db: db, opt: &o, c: &copier{p: p, sound: map[Digest]bool{}, progress: inTurn(o.Progress)}}
	if err := r.known(ctx); err != nil {
		return nil, err
	}
	b, err := r.copy(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.complete(ctx, b); err != nil {
		return nil, err
	}
	result := r.result(b)
	if o.Keep > 0 {
		result.Removed, result.RemovedSize, err = p.prune(ctx, b, o.Keep)
		if err != nil {
			return result, fmt.Errorf("%s is complete, but older backups were not removed: %w", b.Name, err)
		}
	}
	return result, nil
}

// run is one call of Backup.
type run struct {
	db    *engine.DB
	opt   *Options
	c     *copier
	began int

	lineage string                 // of the manifest
	earlier map[string]SegmentFile // by pinKey, of the backups of the place
	names   map[string]string      // of files to restore, in lower case, to URLs
	seen    map[string]bool        // pinKeys of the backup that is made
}

// known lists what the place has. Damaged lists of other backups are their own matter:
// they only make that files are read again.
func (r *run) known(ctx context.Context) (err error) {
	p := r.c.p
	if err := p.tidy(ctx, r.opt.Now()); err != nil {
		return err
	}
	if r.c.have, err = p.objects(ctx); err != nil {
		return err
	}
	names, err := p.names(ctx)
	if err != nil {
		return err
	}
	r.earlier = map[string]SegmentFile{}
	for _, name := range names {
		b, err := p.read(ctx, name)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			continue
		}
		for _, s := range b.Segments {
			r.earlier[s.known(b.Lineage)] = s
		}
		if p.fs != nil {
			continue
		}
		for f := range b.files() { // a complete backup has read them there
			if r.c.has(f) {
				r.c.sound[f.Hash] = true
			}
		}
	}
	return nil
}

// copy copies one state, and begins again if a segment of it is collected meanwhile.
func (r *run) copy(ctx context.Context) (*Backup, error) {
	for r.began = 1; ; r.began++ {
		content, err := r.db.Content(ctx)
		if err != nil {
			return nil, err
		}
		b, err := r.copyState(ctx, content)
		if err == nil || !errors.Is(err, errGone) || r.began == maxBegin {
			return b, err
		}
		now, nerr := r.db.Content(ctx)
		if nerr != nil {
			return nil, errors.Join(err, nerr)
		}
		if m, n := content.Manifest, now.Manifest; m.Generation == n.Generation && m.Commit == n.Commit {
			return nil, err // nobody collected it: it is lost
		}
	}
}

func (r *run) copyState(ctx context.Context, content *engine.Content) (*Backup, error) {
	m := content.Manifest
	b := &Backup{Version: FormatVersion, Graph: m.Name, Lineage: m.Lineage, Commit: m.Commit, Generation: m.Generation,
		JournalID: content.JournalID, Batch: content.Batch, Changes: content.Changes}
	r.lineage = m.Lineage
	r.names, r.seen = map[string]string{}, map[string]bool{}
	for _, data := range content.Journal {
		f, err := r.c.put(ctx, blob.Bytes(r.db.Name()+", journal", data))
		if err != nil {
			return nil, err
		}
		b.Journal = append(b.Journal, f)
	}
	for v, raw := m, content.Raw; ; {
		copied, err := r.segments(ctx, v)
		if len(b.Manifests) > 0 && errors.Is(err, errGone) {
			return b, nil // the history ends here: older generations were collected
		}
		if err != nil {
			return nil, err
		}
		f, err := r.c.put(ctx, blob.Bytes(fmt.Sprintf("%s, generation %d", r.db.Name(), v.Generation), raw))
		if err != nil {
			return nil, err
		}
		for _, s := range copied {
			if s.Name == "" {
				b.Remote = append(b.Remote, s)
			} else {
				b.Segments = append(b.Segments, s)
			}
		}
		b.Manifests = append(b.Manifests, ManifestFile{v.Generation, f})
		if len(b.Manifests) == r.opt.Generations {
			return b, nil
		}
		v, raw, err = r.db.Before(ctx, v)
		if errors.Is(err, engine.ErrNoGeneration) {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// complete makes the backup one: its files are on disk, and then its list is.
func (r *run) complete(ctx context.Context, b *Backup) error {
	p := r.c.p
	if p.fs != nil { // names that an interrupted run gave may not be
		if err := p.fs.SyncDir(filepath.Join(p.name, filesDir)); err != nil {
			return err
		}
	}
	b.At = r.opt.Now().UTC().Truncate(time.Millisecond)
	text, err := b.encode()
	if err != nil {
		return err
	}
	if len(text) > maxList {
		return fmt.Errorf("the list of the backup has %d bytes, at most %d are read", len(text), maxList)
	}
	// Whatever has this name has these bytes, or is damaged: the digest is in the name.
	if _, err = p.store.Put(ctx, b.Name, text, blob.Cond{}); err != nil {
		return err
	}
	_, err = p.read(ctx, b.Name)
	return err
}

func (r *run) result(b *Backup) *Result {
	out := &Result{Schema: 1, Place: r.c.p.name, Backup: b.Name, Graph: b.Graph, Generation: b.Generation,
		Generations: len(b.Manifests), Changes: b.Changes, Segments: len(b.Segments) + len(b.Remote), Bytes: b.Bytes(),
		Copied: r.c.copied, CopiedBytes: r.c.copiedBytes, Repaired: r.c.repaired, Remote: []string{}, Began: r.began, Removed: []string{}}
	for _, s := range b.Remote {
		out.Remote = append(out.Remote, s.URL)
	}
	return out
}
