package manifest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
)

// Init writes the first generation of a manifest, with the name and the log of
// m and a lineage of its own. A manifest that is there already is
// [blob.ErrExists]; archives of an earlier one in the same place are
// [ErrTwoHistories].
func (f *File) Init(ctx context.Context, opt *CommitOptions, m *Manifest) (*Manifest, error) {
	o := opt.withDefaults()
	if err := f.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer f.turn.Unlock()
	if err := f.trust(ctx); err != nil {
		return nil, err
	}
	if err := f.unused(ctx); err != nil {
		return nil, err
	}
	t := &transaction{f: f, opt: o}
	next := m.Clone()
	var err error
	if t.id, err = NewID(o.Rand); err != nil {
		return nil, err
	}
	if next.Lineage, err = NewID(o.Rand); err != nil {
		return nil, err
	}
	next.Generation, next.Commit, next.Previous = 1, t.id, nil
	next.Recent = []RecentCommit{{t.id, 1}}
	next.Sealed = map[string]int64{}
	next.At, next.Note = o.Now().UTC().Truncate(time.Millisecond), o.Note
	if err := next.Validate(); err != nil {
		return nil, fmt.Errorf("%s: not written: %w", f.name, err)
	}
	if err := t.prove(ctx, next.Log); err != nil {
		return nil, err
	}
	out, err := f.encode(next)
	if err != nil {
		return nil, err
	}
	return t.run(ctx, func(ctx context.Context) (*Manifest, error) { return t.create(ctx, next, out) })
}

// create puts a manifest where there is none.
func (t *transaction) create(ctx context.Context, next *Manifest, out []byte) (*Manifest, error) {
	validator, err := t.f.place.Put(ctx, t.f.name, out, blob.IfAbsent())
	switch {
	case err == nil:
		t.f.archiveAhead(ctx, Stored{next, out, validator})
		return next, nil
	case errors.Is(err, blob.ErrNotDurable):
		t.unknown = err
		return nil, err
	case errors.Is(err, blob.ErrUnknownOutcome):
		t.unknown = err
		return nil, again(err) // as long as there is none, another request settles it
	case !errors.Is(err, blob.ErrExists) || t.unknown == nil && t.attempts == 1:
		return nil, again(err)
	}
	// Our own earlier request may have been the one that made it.
	cur, rerr := t.f.ReadStored(ctx)
	if rerr != nil {
		return nil, t.reading(rerr)
	}
	t.unknown = nil
	if cur.remembers(t.id) {
		return cur.Manifest, nil
	}
	return nil, err
}

// unused refuses a place where archives of another manifest lie: the new one's
// could not be told from them.
func (f *File) unused(ctx context.Context) error {
	list, err := f.place.List(ctx, f.NextTo(".g"))
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	_, own := blob.Split(f.name)
	for _, i := range list {
		_, file := blob.Split(i.Name)
		if g, ok := strings.CutPrefix(file, own+".g"); ok && g != "" && strings.Trim(g, "0123456789") == "" {
			return fmt.Errorf("%w: %s is left from another manifest of this name; move it and its like away first", ErrTwoHistories, i.Name)
		}
	}
	return nil
}
