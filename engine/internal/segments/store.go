package segments

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/rangecache"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// Store opens the segments that a manifest names.
type Store struct {
	Mux   *blob.Mux      // finds objects by the names of the manifest
	File  *manifest.File // nil of a single segment
	Cache *cache.Cache
	// Ranges keeps what is read of remote segments; nil: nothing is kept.
	Ranges *rangecache.Cache
	// TrustUnverified reads remote segments that nothing proves without hashing them whole first.
	TrustUnverified bool
	Lost            atomic.Bool // a segment that is open was found to be lost

	given atomic.Pointer[blob.Object] // see Give
}

// Give hands over the object of a single segment, which the first open uses. The store
// closes it if none comes.
func (s *Store) Give(obj blob.Object) { s.given.Store(&obj) }

// Close closes what was given and not used.
func (s *Store) Close() error {
	if obj := s.given.Swap(nil); obj != nil {
		return (*obj).Close()
	}
	return nil
}

// Open is a segment of a manifest that is open, and the layer that it is of a view. The
// caller closes Seg, which closes File.
type Open struct {
	File  *Watched
	Seg   *segment.Segment
	Layer layers.Layer
}

// Open opens a segment as its pin says, with its terms in the canonical spelling.
func (s *Store) Open(ctx context.Context, ref *manifest.SegmentRef) (*Open, error) {
	file, seg, err := s.open(ctx, ref)
	if err != nil {
		return nil, s.Gone(ctx, ref, err)
	}
	o := &Open{File: file, Seg: seg, Layer: layers.FromSegment(seg)}
	if canonical := ref.Canonical != nil && *ref.Canonical || seg.Canonical(); !canonical {
		if o.Layer, err = layers.FromForeign(ctx, seg); errors.Is(err, layers.ErrRespelledNames) {
			if o.Seg, err = respell(ctx, seg, s.Cache); err == nil { // and closes seg
				o.Layer = layers.FromSegment(o.Seg)
			}
		}
	}
	if err != nil {
		seg.Close()
		return nil, err
	}
	return o, nil
}

// Prove opens a segment that a commit is to name. What is wrong with it is found now,
// while nothing depends on it.
func (s *Store) Prove(ctx context.Context, ref *manifest.SegmentRef) error {
	o, err := s.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer o.Seg.Close()
	return o.Seg.Probe(ctx)
}

// OpenFile opens a segment as its pin says and as it is spelled. The error of one that is
// not there is that of the object; see [Store.Gone].
func (s *Store) OpenFile(ctx context.Context, ref *manifest.SegmentRef) (*segment.Segment, error) {
	_, seg, err := s.open(ctx, ref)
	return seg, err
}

// openWhole is OpenFile for reading all of a remote segment once, which is nothing to keep.
func (s *Store) openWhole(ctx context.Context, ref *manifest.SegmentRef) (*segment.Segment, error) {
	obj, err := s.object(ctx, ref)
	if err != nil {
		return nil, err
	}
	file := &Watched{Object: obj, store: s, ref: ref}
	return segment.Open(ctx, blob.Blocks(file.Past(), wholeBlock), s.options(ref))
}

// wholeBlock is how much of a remote segment is read at once where all of it is.
const wholeBlock = 4 << 20

func (s *Store) open(ctx context.Context, ref *manifest.SegmentRef) (*Watched, *segment.Segment, error) {
	obj, err := s.object(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	file := &Watched{Object: obj, store: s, ref: ref}
	seg, err := segment.Open(ctx, file, s.options(ref))
	return file, seg, err
}

func (s *Store) options(ref *manifest.SegmentRef) *segment.Options {
	return &segment.Options{Cache: s.Cache, Pin: ref.Pin(), Trees: &trees{s, ref}, TrustUnverified: s.TrustUnverified}
}

func (s *Store) object(ctx context.Context, ref *manifest.SegmentRef) (blob.Object, error) {
	given := s.given.Swap(nil)
	open := func(ctx context.Context) (blob.Object, error) {
		if given != nil {
			return *given, nil
		}
		return s.Mux.Open(ctx, ref.URL)
	}
	full, err := s.Mux.Resolve(ref.URL)
	if err != nil || s.Ranges == nil || !blob.IsRemote(full) {
		return open(ctx)
	}
	u, err := url.Parse(full)
	if err != nil {
		return open(ctx)
	}
	return s.Ranges.Object(kept(ref), u.Redacted(), ref.Size, open), nil
}

// kept is what the ranges of a segment are kept by: its hashes.
func kept(ref *manifest.SegmentRef) string {
	key := fmt.Sprintf("%d %x", ref.Size, ref.Hash)
	if ref.Extra != nil {
		key += fmt.Sprintf(" %x", *ref.Extra)
	}
	return key
}

// Gone says what it means that a segment of the manifest is not found: it is missing, or
// the manifest has gone on without it. Other errors are returned as they are.
func (s *Store) Gone(ctx context.Context, ref *manifest.SegmentRef, err error) error {
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if s.File != nil {
		cur, rerr := s.File.Read(ctx)
		if rerr == nil && !cur.Names(ref) {
			return fmt.Errorf("%w: %w, and generation %d, the current one, does not name it", ErrExpired, err, cur.Generation)
		}
	}
	return fmt.Errorf("%w: %w, and the manifest names it: put it back", ErrMissing, err)
}
