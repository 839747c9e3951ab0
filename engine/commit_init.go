package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
)

// Init writes the first generation of a manifest, with the name and the log of
// m and a lineage of its own. A manifest that is there already is
// [blob.ErrExists]; archives of an earlier one in the same place are
// [ErrTwoHistories].
func (f *ManifestFile) Init(ctx context.Context, opt *CommitOptions, m *Manifest) (*Manifest, error) {
	o := opt.withDefaults()
	if err := f.unused(ctx); err != nil {
		return nil, err
	}
	t := &transaction{f: f, opt: o, attempts: 1}
	next := m.Clone()
	var err error
	if t.id, err = randomID(o.Rand); err != nil {
		return nil, err
	}
	if next.Lineage, err = randomID(o.Rand); err != nil {
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
	_, err = f.place.Put(ctx, f.name, out, blob.IfAbsent())
	switch {
	case err == nil:
		return next, nil
	case errors.Is(err, blob.ErrUnknownOutcome) && !errors.Is(err, blob.ErrNotDurable), errors.Is(err, blob.ErrExists):
		// Our own request may have been the one that made it.
		if cur, rerr := f.read(ctx, f.name); rerr == nil && cur.remembers(t.id) {
			return cur.Manifest, nil
		}
	}
	if errors.Is(err, blob.ErrUnknownOutcome) {
		t.unknown = err
	}
	return nil, t.final(err)
}

// unused refuses a place where archives of another manifest lie: the new one's
// could not be told from them.
func (f *ManifestFile) unused(ctx context.Context) error {
	list, err := f.place.List(ctx, f.name+".g")
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, i := range list {
		if g := strings.TrimPrefix(i.Name, f.name+".g"); g != "" && strings.Trim(g, "0123456789") == "" {
			return fmt.Errorf("%w: %s is left from another manifest of this name; move it and its like away first", ErrTwoHistories, i.Name)
		}
	}
	return nil
}

// mintLetters are those of the random part of a segment's name.
const mintLetters = "abcdefghijklmnopqrstuvwxyz234567"

// SegmentName makes a name that no segment had before: NAME-gG-HASH8-RRRRRR.rete,
// or .tomb.rete for dels. G is the generation that is to be made; the last part
// comes from r, nil for the system's randomness.
func SegmentName(name string, generation int64, hash [16]byte, dels bool, r io.Reader) (string, error) {
	o := (&CommitOptions{Rand: r}).withDefaults()
	var b [6]byte
	if _, err := io.ReadFull(o.Rand, b[:]); err != nil {
		return "", fmt.Errorf("drawing a segment name: %w", err)
	}
	for i := range b {
		b[i] = mintLetters[b[i]%32]
	}
	suffix := ".rete"
	if dels {
		suffix = ".tomb.rete"
	}
	return fmt.Sprintf("%s-g%d-%x-%s%s", name, generation, hash[:4], b[:], suffix), nil
}
