package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
)

// openSegment is a segment that states share. uses is guarded by DB.mu.
type openSegment struct {
	key   string
	file  *watched
	seg   *segment.Segment
	layer Layer
	uses  int
}

// openRef returns a segment of the manifest, with one use for the caller.
func (db *DB) openRef(ctx context.Context, ref *manifest.SegmentRef) (*openSegment, error) {
	full, err := db.mux.Resolve(ref.URL)
	if err != nil {
		return nil, err
	}
	key := ref.Key(full)
	if o := db.share(key); o != nil {
		return o, nil
	}
	file, seg, err := db.openWatched(ctx, ref)
	if err != nil {
		return nil, db.gone(ctx, ref, err)
	}
	o := &openSegment{key: key, file: file, seg: seg, layer: SegmentLayer(seg), uses: 1}
	if canonical := ref.Canonical != nil && *ref.Canonical || seg.Canonical(); !canonical {
		if o.layer, err = view.RespelledLayer(ctx, seg); errors.Is(err, view.ErrRespelledNames) {
			if o.seg, err = respell(ctx, seg, db.cache); err == nil { // and closes seg
				o.layer = SegmentLayer(o.seg)
			}
		}
	}
	if err != nil {
		seg.Close()
		return nil, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if first := db.segments[key]; first != nil && !first.file.lost.Load() { // named twice in one log
		o.seg.Close()
		first.uses++
		return first, nil
	}
	db.segments[key] = o
	return o, nil
}

// openFile opens a segment as its pin says.
func (db *DB) openFile(ctx context.Context, ref *manifest.SegmentRef) (*segment.Segment, error) {
	_, seg, err := db.openWatched(ctx, ref)
	return seg, err
}

func (db *DB) openWatched(ctx context.Context, ref *manifest.SegmentRef) (*watched, *segment.Segment, error) {
	obj, err := db.mux.Open(ctx, ref.URL)
	if err != nil {
		return nil, nil, err
	}
	file := &watched{Object: obj, db: db, ref: ref}
	seg, err := segment.Open(ctx, file, &segment.Options{Cache: db.cache, Pin: ref.Pin()})
	return file, seg, err
}

func (db *DB) share(key string) *openSegment {
	db.mu.Lock()
	defer db.mu.Unlock()
	o := db.segments[key]
	if o == nil || o.file.lost.Load() {
		return nil
	}
	o.uses++
	return o
}

// releaseSegment drops one use. db.mu is held.
func (db *DB) releaseSegment(o *openSegment) {
	if o.uses--; o.uses == 0 {
		if db.segments[o.key] == o {
			delete(db.segments, o.key)
		}
		o.seg.Close()
		db.warmer.nudge() // there is room
	}
}

// spelledCanonically reads the dictionary and the graph names.
func spelledCanonically(ctx context.Context, seg *segment.Segment) (bool, error) {
	names, err := seg.GraphNames(ctx)
	if err != nil {
		return false, err
	}
	for _, n := range names {
		if !rdf.Canonical(n) {
			return false, nil
		}
	}
	for sec := segment.Shared; sec < segment.Sections; sec++ {
		for terms := seg.AllTerms(sec); ; {
			t, err := terms.Next(ctx)
			if err == io.EOF {
				break
			}
			if err != nil || !rdf.Canonical(t) {
				return false, err
			}
		}
	}
	return true, nil
}

// respellMemory bounds what building a copy may take.
const respellMemory = 2 << 30

// respell copies a segment of another program whose terms are spelled otherwise
// into memory, in the canonical spelling, so that one term is one id
// (docs/manifest.md). Of two spellings of a quad one row is left. It closes seg.
func respell(ctx context.Context, seg *segment.Segment, c *Cache) (*segment.Segment, error) {
	defer seg.Close()
	b := segment.NewBuilder(&segment.BuildOptions{
		WriterOptions: segment.WriterOptions{Memory: respellMemory}, MaxMemory: respellMemory})
	if err := addCanonical(ctx, b, seg); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	built, err := b.WriteTo(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("%s: its terms are not spelled canonically, and a copy that has them so failed: %w", seg.Name(), err)
	}
	return segment.Open(ctx, blob.Bytes(seg.Name(), out.Bytes()), &segment.Options{Cache: c, Pin: built.Pin()})
}

// addCanonical adds the quads of a segment to a builder, every term in its canonical
// spelling.
func addCanonical(ctx context.Context, b *segment.Builder, seg *segment.Segment) error {
	v := view.NewCore([]Entry{{Adds: SegmentLayer(seg)}}, &ViewOptions{DeltaBytes: -1})
	var raw rdf.RawQuad
	return v.Quads(ctx, dataset.Pattern{}, func(q *rdf.RawQuad) (err error) {
		if seg.Canonical() {
			return b.AddUnchecked(q)
		}
		for _, t := range []struct{ from, to *[]byte }{{&q.S, &raw.S}, {&q.P, &raw.P}, {&q.O, &raw.O}, {&q.G, &raw.G}} {
			*t.to = (*t.to)[:0]
			if len(*t.from) > 0 && err == nil {
				*t.to, err = rdf.Canonicalize(*t.to, *t.from)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: a term that cannot be read: %w", seg.Name(), err)
		}
		return b.AddUnchecked(&raw)
	})
}
