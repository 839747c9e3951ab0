package blob

import (
	"context"
	"time"
)

// Upload is an object that a writer sends in parts and that has not appeared yet. Where the
// writer has died, its parts stay, and cost, until the upload is aborted.
type Upload struct {
	Name  string    // that the object is to have, as [Store.Open] takes it
	Begun time.Time // zero if the store does not say
	// Abort throws the parts away. An upload that has ended is [ErrNotFound].
	Abort func(ctx context.Context) error
}

// UploadLister is what a [Store] may implement that sends large objects in parts.
type UploadLister interface {
	// Uploads returns the uploads that were begun and have not ended, of objects of one
	// directory whose names begin with prefix, in the order of names.
	Uploads(ctx context.Context, prefix string) ([]Upload, error)
}

// Uploads implements [UploadLister]; a store that is none has no uploads. An empty prefix is the
// mux's own place.
func (m *Mux) Uploads(ctx context.Context, prefix string) ([]Upload, error) {
	s, full, err := m.findPrefix(prefix)
	if err != nil {
		return nil, err
	}
	if l, ok := s.(UploadLister); ok {
		return l.Uploads(ctx, full)
	}
	return nil, nil
}
