package manifest

import (
	"errors"
	"fmt"
	"slices"
)

// ErrOvertaken: a commit was to be made on what another commit has changed since. It comes with
// [ErrConflict].
var ErrOvertaken = errors.New("somebody else has committed since")

// Keeping returns the options for a commit that changes no quad, as seals and compactions are;
// o may be nil.
func Keeping(o *CommitOptions) *CommitOptions {
	c := o.withDefaults()
	c.keeps = true
	return &c
}

// On returns the options for a commit that fails with [ErrOvertaken] if there is another one
// after base that this File has not made as [Keeping]; o may be nil.
func On(base *Manifest, o *CommitOptions) *CommitOptions {
	c := o.withDefaults()
	c.on = base
	return &c
}

// keep remembers the id of a commit that changes no quad. The turn is held.
func (f *File) keep(id string) {
	f.kept = append(f.kept[max(0, len(f.kept)-MaxRecent+1):], id)
}

// since returns nil if a commit that was made on base may follow cur: nothing but maintenance of this File
// lies between them. Else it is [ErrOvertaken]. The turn is held.
func (f *File) since(base, cur *Manifest) error {
	if cur.Same(base) || base.Generation < cur.Generation && (base.Lineage == "" || cur.Lineage == base.Lineage) && f.allKept(cur, base.Generation) {
		return nil
	}
	return fmt.Errorf("%w: on generation %d, the manifest is at %d", ErrOvertaken, base.Generation, cur.Generation)
}

// allKept reports whether each commit after a generation is known to have changed no quad.
func (f *File) allKept(cur *Manifest, after int64) bool {
	for _, r := range cur.Recent {
		if r.Generation > after && !slices.Contains(f.kept, r.ID) {
			return false
		}
	}
	return cur.coversFrom(after + 1)
}
