package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// CompactOptions are the choices of [DB.Compact]. The zero value and nil work.
type CompactOptions struct {
	manifest.CommitOptions
	// First and Count choose a run of entries, First from 0. Count 0 is all from
	// First on.
	First, Count int
	// Auto, above 1, chooses the run by size: at least that many neighbouring entries
	// of about the same size. If there is no such run the error is ErrCompact.
	Auto int
	// Out is the path of the new adds segment, relative to the working
	// directory; it must be free. Default: a name of its own next to the manifest
	// or in Dir, another path.
	Out, Dir string
	// NoPyramid leaves the schema pyramid out of the new segment. It has one else, if it
	// is the first of the log: whatever Fold says.
	NoPyramid bool
	// Busy reports whether readers wait for the processor. With it the fold runs on
	// one goroutine, and makes way for a moment, again and again, but goes on.
	Busy func() bool
	// Fold is how the segment is written.
	Fold compaction.Options
}

// Compact replaces a run of entries, by default the whole log, by one entry of
// the same effect, in one commit, and returns the manifest that has it. Same
// visible quads and same options make the same bytes, whatever the log was.
// Entries that were appended meanwhile stay after the new one; if the run itself
// was changed meanwhile the error is [ErrConflict]. If there is nothing to do it
// is [ErrCompact].
//
// The files that the log named stay: older generations need them.
func (db *DB) Compact(ctx context.Context, opt *CompactOptions) (*manifest.Manifest, error) {
	return changeLog(ctx, db, "rete.compact", func(ctx context.Context) (*manifest.Manifest, error) {
		start := time.Now()
		m, err := db.compactLog(ctx, opt)
		db.worked(ctx, &db.compactions, err, time.Since(start))
		return m, err
	})
}

func (db *DB) compactLog(ctx context.Context, opt *CompactOptions) (*manifest.Manifest, error) {
	var o CompactOptions
	if opt != nil {
		o = *opt
	}
	if o.Busy != nil {
		o.Fold.Workers, o.Fold.Progress = 1, makeWay(ctx, o.Busy, o.Fold.Progress)
	}
	o.bound(&db.opt.Fold)
	file, err := db.manifestFile()
	if err != nil {
		return nil, err
	}
	if db.ReadOnly() {
		return nil, fmt.Errorf("%s: %w", db.name, blob.ErrReadOnly)
	}
	if err := db.open(); err != nil {
		return nil, err
	}
	base, err := file.Read(ctx)
	if err != nil {
		return nil, err
	}
	run, err := o.run(base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", db.name, err)
	}
	o.Fold.Pyramid = !o.NoPyramid && o.First == 0
	w, err := db.newMaker(base, segment.BuildOptions{}, nil)
	if err != nil {
		return nil, err
	}
	m, made, err := compact(ctx, w, run, &o)
	if err != nil {
		w.Undo(ctx, err)
		return nil, err
	}
	if err := db.install(context.WithoutCancel(ctx), m, basis{compacted: &compacted{run, made}}); err != nil {
		return nil, fmt.Errorf("%s: generation %d is committed, but could not be opened: %w", db.name, m.Generation, err)
	}
	db.opt.Logger.Info("compacted", "manifest", db.name, "generation", m.Generation, "entries", len(run))
	return m.Clone(), nil
}

// bound gives a fold the bounds of the database, where it has none.
func (o *CompactOptions) bound(by *compaction.Options) {
	f := &o.Fold
	if f.MaxMemory <= 0 && f.Memory <= 0 {
		f.MaxMemory, f.Memory = by.MaxMemory, by.Memory
	}
	if f.Hold == nil {
		f.Hold = by.Hold
	}
	f.TempDir, f.MaxScratch = cmp.Or(f.TempDir, by.TempDir), cmp.Or(f.MaxScratch, by.MaxScratch)
}

// run returns the entries to compact.
func (o *CompactOptions) run(m *manifest.Manifest) ([]manifest.Entry, error) {
	if o.Auto > 1 {
		sizes := make([]int64, len(m.Log))
		for i, e := range m.Log {
			sizes[i] = e.Size()
		}
		if o.First, o.Count = planCompaction(sizes, o.Auto); o.Count == 0 {
			return nil, fmt.Errorf("%w: no %d neighbouring entries are of about the same size", ErrCompact, o.Auto)
		}
	}
	if o.Count == 0 {
		o.Count = len(m.Log) - o.First
	}
	if o.First < 0 || o.Count < 0 || o.First+o.Count > len(m.Log) {
		return nil, fmt.Errorf("entries %d to %d: the log has %d", o.First, o.First+o.Count-1, len(m.Log))
	}
	if o.Count == 0 {
		return nil, fmt.Errorf("%w: the log is empty", ErrCompact)
	}
	return m.Log[o.First : o.First+o.Count], nil
}

func compact(ctx context.Context, w *segments.Maker, run []manifest.Entry, o *CompactOptions) (m *manifest.Manifest, made []manifest.Entry, err error) {
	if err := w.Place(ctx, o.Out, o.Dir); err != nil {
		return nil, nil, err
	}
	entry, err := fold(ctx, w, run, o)
	if err != nil {
		return nil, nil, err
	}
	if entry != nil {
		made = append(made, *entry)
	}
	m, err = w.Commit(ctx, manifest.Keeping(o.Naming(made...)), func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		at := find(cur.Log, run)
		if at < 0 || o.First == 0 && at != 0 {
			return nil, fmt.Errorf("%s: %w: the entries that were compacted are not in its log any more", w.Name, ErrConflict)
		}
		rest := cur.Log[at+len(run):]
		cur.Log = slices.Concat(cur.Log[:at], made, rest)
		return cur, nil
	})
	return m, made, err
}

// find returns where the run lies in a log, -1 if it does not.
func find(log, run []manifest.Entry) int {
	for at := 0; at+len(run) <= len(log); at++ {
		same := true
		for i, e := range run {
			same = same && e.Same(log[at+i])
		}
		if same {
			return at
		}
	}
	return -1
}

// fold writes the segments of the entry that has the effect of the run; nil if it
// has none.
func fold(ctx context.Context, w *segments.Maker, run []manifest.Entry, o *CompactOptions) (*manifest.Entry, error) {
	sources, open, err := openRun(ctx, w, run)
	defer func() {
		for _, s := range open {
			s.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	if len(run) == 1 && run[0].Dels == nil && o.Out == "" {
		made, err := asMade(ctx, open[0], &o.Fold)
		if err != nil {
			return nil, err
		}
		if made {
			return nil, fmt.Errorf("%s: %w: entry %d is one segment already", w.Name, ErrCompact, o.First)
		}
	}
	opt := o.Fold
	if o.Auto > 1 && o.First == 0 {
		opt.TextIndex = slices.ContainsFunc(open, hasText) // a policy keeps what there is
	}
	var entry manifest.Entry
	if entry.Adds, err = w.Put(ctx, false, func(out io.Writer) (*segment.Built, error) {
		return compaction.Adds(ctx, sources, out, &opt)
	}); err != nil {
		return nil, err
	}
	if len(run) == 1 && run[0].Dels == nil && o.Out == "" && sameFile(entry.Adds, run[0].Adds) { // its literals have no words
		return nil, fmt.Errorf("%s: %w: entry %d is one segment already", w.Name, ErrCompact, o.First)
	}
	if o.First > 0 {
		opt.TextIndex = false
		if entry.Dels, err = w.Put(ctx, true, func(out io.Writer) (*segment.Built, error) {
			return compaction.Dels(ctx, sources, out, &opt)
		}); err != nil {
			return nil, err
		}
	}
	if entry.Adds == nil && entry.Dels == nil {
		return nil, nil
	}
	return &entry, nil
}

// openRun opens the segments of a run, which are to be closed, also after an error.
func openRun(ctx context.Context, w *segments.Maker, run []manifest.Entry) (sources []compaction.Entry, open []*segment.Segment, err error) {
	source := func(ref *manifest.SegmentRef) (*segment.File, error) {
		if ref == nil {
			return nil, nil
		}
		seg, err := w.Store.OpenFile(ctx, ref)
		if err != nil {
			return nil, w.Store.Gone(ctx, ref, err)
		}
		open = append(open, seg)
		return segment.FileOf(seg), nil
	}
	sources = make([]compaction.Entry, len(run))
	for i, e := range run {
		if sources[i].Dels, err = source(e.Dels); err != nil {
			return nil, open, err
		}
		if sources[i].Adds, err = source(e.Adds); err != nil {
			return nil, open, err
		}
	}
	return sources, open, nil
}

// sameFile reports whether two segments have the same bytes.
func sameFile(a, b *manifest.SegmentRef) bool {
	return a != nil && b != nil && a.Size == b.Size && a.Hash == b.Hash && a.Extra != nil && b.Extra != nil && *a.Extra == *b.Extra
}

// hasText reports whether a segment was made with a text index.
func hasText(s *segment.Segment) bool { return s.Header().Section(segment.KindTextIndex).Length > 0 }

// asMade reports whether a segment is what a compaction with these options makes.
func asMade(ctx context.Context, s *segment.Segment, o *compaction.Options) (bool, error) {
	raw := s.Header().BlockCodec == uint8(tile.Raw)
	if s.Header().Section(segment.KindPrefixes).Length > 0 || !s.Canonical() || !s.Mapped() || o.Plain || raw != (o.Codec == segment.RawCodec) ||
		hasText(s) != o.TextIndex || (s.Header().Section(segment.KindPyramid).Length > 0) != o.Pyramid {
		return false, nil
	}
	def, err := s.Count(ctx, 0, tile.SPO)
	if err != nil {
		return false, err
	}
	has := segment.Contents{Graphs: s.Counts().Graphs, Named: s.Counts().Quads - def, Default: def}
	if s.HasOrder(tile.SOP) == segment.ThreeOrders(o.Orders, has) {
		return false, nil
	}
	if len(o.Metadata) == 0 {
		return true, nil
	}
	info, err := s.Info(ctx)
	return err == nil && bytes.Equal(info.Metadata, o.Metadata), err
}
