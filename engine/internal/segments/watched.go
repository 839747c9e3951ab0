package segments

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
)

// Watched is the object of a segment. A file that is not there any more when it is opened
// again, or is another one, is told like one that is so at the start.
type Watched struct {
	blob.Object
	store *Store
	ref   *manifest.SegmentRef
	lost  atomic.Bool
}

// ReadRanges implements [blob.Object].
func (o *Watched) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	return o.told(ctx, o.Object.ReadRanges(ctx, rs, bufs))
}

// Check returns nil if the next read finds the file, without opening it.
func (o *Watched) Check(ctx context.Context) error {
	if file, ok := o.Object.(interface{ Check() error }); ok {
		return o.told(ctx, file.Check())
	}
	return nil
}

// told puts an error of the object into the engine's words.
func (o *Watched) told(ctx context.Context, err error) error {
	gone, changed := errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrChanged)
	if !gone && !changed {
		return err
	}
	o.lost.Store(true)
	o.store.Lost.Store(true)
	if changed {
		return fmt.Errorf("%w: %w", ErrWrong, err)
	}
	return o.store.Gone(ctx, o.ref, err)
}

// Past returns the object for reading that is nothing to keep.
func (o *Watched) Past() blob.Object {
	if file, ok := o.Object.(interface{ Past() blob.Object }); ok {
		return &watchedPast{o, file.Past()}
	}
	return o
}

// watchedPast is a file that is read without what is kept of it.
type watchedPast struct {
	*Watched
	past blob.Object
}

// ReadRanges implements [blob.Object].
func (o *watchedPast) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	return o.told(ctx, o.past.ReadRanges(ctx, rs, bufs))
}

// Identity tells package internal/segment whether the file is still the same.
func (o *Watched) Identity() string {
	if file, ok := o.Object.(interface{ Identity() string }); ok {
		return file.Identity()
	}
	return ""
}

// Unguarded tells package internal/segment whether nothing but its size shows that the file is the same.
func (o *Watched) Unguarded(ctx context.Context) (bool, error) {
	if file, ok := o.Object.(interface {
		Unguarded(ctx context.Context) (bool, error)
	}); ok {
		return file.Unguarded(ctx)
	}
	return false, nil
}

// Discard drops what is kept of a remote file.
func (o *Watched) Discard() {
	if file, ok := o.Object.(interface{ Discard() }); ok {
		file.Discard()
	}
}

// Lost reports whether the file was found to be gone, or another one.
func (o *Watched) Lost() bool { return o.lost.Load() }
