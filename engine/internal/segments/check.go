package segments

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// Checked is what a check of a segment found, in addition to its error.
type Checked struct {
	Whole bool          // every byte was compared with the pin; else header and map alone
	Proof segment.Proof // how what readers have of it is proven
	Quads *int64        // how many it has, if the manifest or the pinned map says
}

// Check compares a segment with its pin: a local one whole, a remote one by header and map
// unless full. done is called with the bytes that were checked.
func (s *Store) Check(ctx context.Context, ref *manifest.SegmentRef, full bool, done func(int64)) (found Checked, err error) {
	found.Quads = ref.Quads
	name, err := s.Mux.Resolve(ref.URL)
	if err != nil {
		return found, err
	}
	// Not through what is open already: the file may have been changed since.
	found.Whole = !blob.IsRemote(name) || full
	open := s.OpenFile
	if found.Whole && blob.IsRemote(name) {
		open = s.openWhole
	}
	seg, err := open(ctx, ref)
	if err != nil {
		return found, err
	}
	defer seg.Close()
	found.Proof = seg.Proof()
	if found.Whole {
		err = seg.Verify(ctx, func(n, _ int64) { done(n) })
	}
	if err == nil {
		err = found.compareCounts(ctx, seg, ref)
	}
	done(ref.Size)
	return found, err
}

// compareCounts compares the manifest's number of quads with the segment's, where that is
// pinned.
func (found *Checked) compareCounts(ctx context.Context, seg *segment.Segment, ref *manifest.SegmentRef) error {
	c := seg.Counts()
	if !c.QuadsKnown {
		return nil
	}
	n := int64(c.Quads)
	if ref.Quads != nil && *ref.Quads != n {
		return damage.In(seg.Name(), damage.New("", "it holds %d quads, the manifest says %d", n, *ref.Quads))
	}
	found.Quads = &n
	return ctx.Err()
}
