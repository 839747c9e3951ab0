package backup

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/carry"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
)

// RestoreOptions are the choices of [Place.Restore]. The zero value and nil work.
type RestoreOptions struct {
	// Backup is the name of the backup. Default: the newest one, see [Place.Find].
	Backup string
	// Parallel is how many segments are copied at once. Default: four where the place or the
	// graph is not local, else one.
	Parallel int
	// Progress is called with the object that is read and the bytes read since the last
	// call, by one goroutine at a time.
	Progress func(object string, bytes int64)
}

// Restored is what a restore made, with the names of `rete restore --json`.
type Restored struct {
	Schema      int      `json:"schema"` // 1
	Manifest    string   `json:"manifest"`
	Backup      string   `json:"backup"`
	Graph       string   `json:"graph"`
	Lineage     string   `json:"lineage"` // its own
	Generation  int64    `json:"generation"`
	Generations int      `json:"generations"`
	Changes     int64    `json:"changes"` // in the journal
	Segments    int      `json:"segments"`
	Bytes       int64    `json:"bytes"`
	Remote      []string `json:"remote"`  // segments that are not of the backup
	Resumed     bool     `json:"resumed"` // of a restore that was interrupted
}

// Restore makes a new graph of a backup: a manifest, its archives, its journal and
// its segments, all next to the manifest or below its folder. Everything is read from the
// place, compared with its digest, written, synced and read back before the manifest names
// the graph, which is the last step. No file is ever replaced: one that is in the way is an
// error that matches [blob.ErrExists].
//
// Where a restore was interrupted, a file <manifest>.restoring says so, and the same restore
// goes on; what it has left half written is removed. Of dbo the file system, the stores and the journal's path count. A remote graph has no
// journal next to it, so a backup with changes that are not sealed needs a path.
func (p *Place) Restore(ctx context.Context, manifest string, opt *RestoreOptions, dbo *engine.Options) (*Restored, error) {
	var o RestoreOptions
	if opt != nil {
		o = *opt
	}
	t, err := newTarget(manifest, dbo)
	if err != nil {
		return nil, err
	}
	b, err := p.Find(ctx, o.Backup)
	if err != nil {
		return nil, err
	}
	if err := t.prepare(ctx, b); err != nil {
		return nil, err
	}
	id, resumed, err := t.begin(ctx, b)
	if err == nil {
		err = t.tidy(b)
	}
	if err != nil {
		return nil, err
	}
	x := &restorer{p: p, t: t, b: b, id: id, parallel: parallel(o.Parallel, p.name, t.name), progress: inTurn(o.Progress)}
	if err := x.files(ctx); err != nil {
		hurt := errors.Is(err, damage.Err) || errors.Is(err, blob.ErrNotFound)
		if hurt && !resumed { // trying again does not help
			err = errors.Join(err, t.undo(context.WithoutCancel(ctx)))
		}
		return nil, err
	}
	if err := t.finish(ctx, x.manifest); err != nil {
		return nil, err
	}
	out := &Restored{Schema: 1, Manifest: t.name, Backup: b.Name, Graph: b.Graph, Lineage: id.Lineage, Generation: b.Generation,
		Generations: len(b.Manifests), Changes: b.Changes, Segments: len(b.Segments) + len(b.Remote), Bytes: b.Bytes(), Remote: []string{}, Resumed: resumed}
	for _, s := range b.Remote {
		out.Remote = append(out.Remote, s.URL)
	}
	return out, nil
}

// restorer is one call of Restore.
type restorer struct {
	p        *Place
	t        *target
	b        *Backup
	id       identity
	manifest []byte // the current one, which is written last
	parallel int
	progress func(object string, bytes int64)
}

// files writes all but the manifest.
func (x *restorer) files(ctx context.Context) error {
	if err := x.segments(ctx); err != nil {
		return err
	}
	var current *manifest.Manifest
	err := x.p.rebuild(ctx, x.b, x.id, x.t.base(), func(was *manifest.Manifest, raw []byte) error {
		if was.Generation == x.b.Generation {
			current, x.manifest = was, raw
			return nil
		}
		return x.t.put(ctx, x.t.nextTo(fmt.Sprintf(".g%d", was.Generation)), raw)
	})
	if err != nil {
		return err
	}
	journal, err := x.p.journal(ctx, x.b, current, x.id)
	if err != nil || journal == nil {
		return err
	}
	return x.t.putJournal(ctx, journal)
}

func (x *restorer) segments(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(x.parallel)
	for i := range x.b.Segments {
		g.Go(func() error { return x.segment(ctx, &x.b.Segments[i]) })
	}
	return g.Wait()
}

// segment copies one, and reads it back.
func (x *restorer) segment(ctx context.Context, s *SegmentFile) error {
	name, err := x.t.segment(s)
	if err != nil {
		return err
	}
	if err := x.t.folder(name); err != nil {
		return err
	}
	written, err := x.t.store.Open(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		if err = x.copy(ctx, s, name); err == nil {
			written, err = x.t.store.Open(ctx, name)
		}
	}
	if err != nil {
		return err
	}
	if written.Size() != s.Size {
		written.Close()
		return inTheWay(name)
	}
	if err := compare(ctx, written, s.File, x.report(name)); err != nil {
		written.Close()
		return err
	}
	return opens(ctx, written, s)
}

func (x *restorer) copy(ctx context.Context, s *SegmentFile, name string) error {
	from, err := x.p.open(ctx, s.File)
	if err != nil {
		return err
	}
	defer from.Close()
	h := newDigest()
	out := &carry.Copy{To: x.t.store, Name: name, Beside: h, Report: x.report(from.Name())}
	out.Check = func() (string, error) {
		if err := s.File.is(from, Digest(h.Sum(nil))); err != nil {
			return "", err
		}
		x.t.makes(x.t.store, name)
		return "", nil
	}
	return out.Put(ctx, from)
}

func (x *restorer) report(object string) func(int64) {
	if x.progress == nil {
		return nil
	}
	return func(n int64) { x.progress(object, n) }
}

// newIdentity draws what the restored graph has of its own.
func newIdentity() identity {
	draw := func() string {
		var b [16]byte
		rand.Read(b[:]) // it never fails
		return hex.EncodeToString(b[:])
	}
	return identity{Lineage: draw(), Journal: draw()}
}

func inTheWay(name string) error {
	return fmt.Errorf("%s: %w: a restore replaces nothing; give another manifest, in a folder of its own, or move that file away", name, blob.ErrExists)
}
