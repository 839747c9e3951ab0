package verify

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/internal/vfs"
)

// values compares the value index with the dictionary.
func (v *verifier) values(ctx context.Context) error {
	stored, err := v.s.Values(ctx)
	if err != nil || stored == nil {
		return err
	}
	if err := v.noLiterals(ctx, format.Shared, format.SubjectOnly); err != nil {
		return err
	}
	folder := scratch.New(vfs.OS(), vfs.TempDir(""), 0)
	defer folder.Close()
	space := &spool.Space{Folder: folder, Limit: 64 << 20}
	found := valueindex.NewBuilder(func() valueindex.Run { return space.New() })
	terms := v.p.AllTerms(format.ObjectOnly)
	for id := uint32(1); ; id++ {
		t, err := terms.Next(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = found.Add(id, t)
		}
		if err != nil {
			return err
		}
	}
	return v.sameValues(ctx, stored, found)
}

// noLiterals checks that sections have no literals: the index has none of them.
func (v *verifier) noLiterals(ctx context.Context, sections ...format.Section) error {
	for _, sec := range sections {
		lo, err := v.p.LowerBound(ctx, sec, []byte(`"`))
		if err != nil {
			return err
		}
		if hi, err := v.p.LowerBound(ctx, sec, []byte(`#`)); err != nil || lo < hi {
			return orDamage(err, "value index", "a literal is in the %v section, where the index has none", sec)
		}
	}
	return nil
}

// sameValues compares the entries of the index with those that the terms make.
func (v *verifier) sameValues(ctx context.Context, stored *read.Values, found *valueindex.Builder) error {
	var at [valuekey.Classes]uint64
	err := found.Each(ctx, func(e valueindex.Entry) error {
		place := at[e.Class]
		at[e.Class]++
		if place >= stored.Len(e.Class) {
			return damage.New("value index", "%d entries of the class %v, there are more", stored.Len(e.Class), e.Class)
		}
		page, err := v.s.ValuePage(ctx, stored, e.Class, int(place/valueindex.PageEntries))
		if err != nil {
			return err
		}
		k := int(place % valueindex.PageEntries)
		if page.IDs[k] != e.ID || k%valueindex.Block == 0 && page.Keys[k/valueindex.Block] != e.Key {
			return damage.New("value index", "entry %d of the class %v is term %d, it must be term %d with key %d", place, e.Class, page.IDs[k], e.ID, e.Key)
		}
		return nil
	})
	for c, n := range at {
		if err == nil && n != stored.Len(valuekey.Class(c)) {
			err = damage.New("value index", "%d entries of the class %v, there are %d", stored.Len(valuekey.Class(c)), valuekey.Class(c), n)
		}
	}
	return err
}

// orDamage returns err, or damage if there is none.
func orDamage(err error, part, format string, args ...any) error {
	if err != nil {
		return err
	}
	return damage.New(part, format, args...)
}
