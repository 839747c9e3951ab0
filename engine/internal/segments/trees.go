package segments

import (
	"context"
	"net/url"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// trees finds the hash tree of a remote segment: the one that was computed and kept on disk,
// or the one that lies next to the segment.
type trees struct {
	store *Store
	ref   *manifest.SegmentRef
}

// Open implements [segment.Trees].
func (t *trees) Open(ctx context.Context, size int64) (blob.Object, error) {
	full, err := t.store.Mux.Resolve(t.ref.URL)
	if err != nil {
		return nil, err
	}
	next := segment.NextTo(t.store.Mux, full)
	ranges := t.store.Ranges
	if ranges == nil {
		return next.Open(ctx, size)
	}
	if b := ranges.Whole(t.key(computed), size); b != nil {
		return keptTree{blob.Bytes(shownName(full)+", kept", b), func() { ranges.Drop(t.key(computed)) }}, nil
	}
	return ranges.Object(t.key(found), segment.TreeName(shownName(full)), size, func(ctx context.Context) (blob.Object, error) {
		obj, err := next.Open(ctx, size)
		if obj == nil && err == nil {
			err = blob.ErrNotFound
		}
		return obj, err
	}), nil
}

// Keep implements [segment.Trees].
func (t *trees) Keep(tree []byte) {
	if t.store.Ranges != nil {
		t.store.Ranges.Keep(t.key(computed), tree)
	}
}

// Trees that are kept are of two origins.
const computed, found = "computed", "found"

func (t *trees) key(origin string) string { return kept(t.ref) + " " + origin + " tree" }

// keptTree is a tree that is dropped where it is wrong.
type keptTree struct {
	blob.Object
	drop func()
}

// Discard drops the tree.
func (t keptTree) Discard() { t.drop() }

// shownName is a name without a password.
func shownName(full string) string {
	if u, err := url.Parse(full); err == nil && blob.IsRemote(full) {
		return u.Redacted()
	}
	return full
}
