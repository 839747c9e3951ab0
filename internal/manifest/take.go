package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rete-go/rete/blob"
)

// relation is how one manifest is related to that of another place.
type relation int

const (
	same    relation = iota // they are the same bytes
	later                   // the other is an earlier generation of it
	earlier                 // it is an earlier generation of the other
	foreign                 // neither comes from the other
)

// takeable returns what is in the place of f, nil if nothing is, and an error that matches
// [ErrConflict] if s could not replace it.
func (f *File) takeable(ctx context.Context, s Stored, from *File) (there *Manifest, err error) {
	cur, err := f.ReadStored(ctx)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	switch r, err := from.relate(ctx, s, f, cur); {
	case err != nil:
		return nil, err
	case r == earlier:
		return nil, fmt.Errorf("%s: %w: it has a later generation of this graph; copy it the other way", f.name, ErrConflict)
	case r == foreign:
		return nil, fmt.Errorf("%s: %w: another graph, or one that has gone another way, is there", f.name, ErrConflict)
	}
	return cur.Manifest, nil
}

// relate tells how s, which was read from f, is related to what is there in another place.
func (f *File) relate(ctx context.Context, s Stored, other *File, there Stored) (relation, error) {
	if bytes.Equal(s.Raw, there.Raw) {
		return same, nil
	}
	if ok, err := f.descends(ctx, s, there); err != nil || ok {
		return later, err
	}
	if ok, err := other.descends(ctx, there, s); err != nil || ok {
		return earlier, err
	}
	return foreign, nil
}

// descends reports whether s, the manifest of f, was made by commits on an earlier one.
func (f *File) descends(ctx context.Context, s, earlier Stored) (bool, error) {
	if s.Lineage == "" || s.Lineage != earlier.Lineage || s.Generation <= earlier.Generation {
		return false, nil
	}
	if s.coversFrom(earlier.Generation) {
		return slices.Contains(s.Recent, RecentCommit{earlier.Commit, earlier.Generation}), nil
	}
	old, err := f.ReadArchive(ctx, earlier.Generation)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil && old.Hash() == earlier.Hash(), err
}

// Take puts the manifest s of another place, from, as it is in the place of f: where there is
// none, or instead of an earlier generation, which is archived. Anything else there is
// [ErrConflict]. Archives of s, newest first, are put there too. All that they name must be
// there when fill, which gets what is in the place, or nil, returns.
func (f *File) Take(ctx context.Context, s Stored, archives []Stored, from *File, fill func(there *Manifest) error) error {
	if err := f.turn.Lock(ctx); err != nil {
		return err
	}
	defer f.turn.Unlock()
	defer f.finishArchive()
	there, err := f.takeable(ctx, s, from)
	if err != nil {
		return err
	}
	if err := f.trust(ctx); err != nil {
		return err
	}
	if err := fill(there); err != nil {
		return err
	}
	for _, old := range archives {
		if _, err := f.putArchive(ctx, old); err != nil {
			return err
		}
	}
	t := &transaction{f: f, opt: (*CommitOptions)(nil).withDefaults(), id: s.Commit}
	_, err = t.run(ctx, func(ctx context.Context) (*Manifest, error) { return t.take(ctx, s, from) })
	return err
}

func (t *transaction) take(ctx context.Context, s Stored, from *File) (*Manifest, error) {
	cond := blob.IfAbsent()
	switch cur, err := t.f.ReadStored(ctx); {
	case errors.Is(err, blob.ErrNotFound):
	case err != nil:
		return nil, t.reading(err)
	default:
		r, err := from.relate(ctx, s, t.f, cur)
		switch {
		case err != nil:
			return nil, t.reading(err)
		case r == same, r == earlier && t.sent && slices.Contains(cur.Recent, RecentCommit{s.Commit, s.Generation}):
			t.unknown = nil // an earlier request of this transfer has done it
			return s.Manifest, nil
		case r != later:
			t.unknown = nil
			return nil, &CommitError{t.f.name, t.id, t.attempts, ErrConflict,
				fmt.Errorf("generation %d there does not lead to generation %d of %s", cur.Generation, s.Generation, from.name)}
		}
		if err := cur.conditional(t.f.name); err != nil {
			return nil, err
		}
		if _, err := t.f.archive(ctx, cur); err != nil {
			return nil, again(err)
		}
		cond = blob.IfMatch(cur.validator)
	}
	t.sent = true
	_, err := t.f.place.Put(ctx, t.f.name, s.Raw, cond)
	switch {
	case err == nil:
		return s.Manifest, nil
	case errors.Is(err, blob.ErrUnknownOutcome):
		t.unknown = err
		return nil, again(err)
	case errors.Is(err, blob.ErrConditionFailed), errors.Is(err, blob.ErrExists):
		return nil, fmt.Errorf("%w: %w", errAgain, err)
	}
	return nil, again(err)
}
