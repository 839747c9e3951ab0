package verify

import (
	"context"
	"io"
	"iter"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/internal/textindex"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/tile"
)

// text compares the text index with the literals of the default graph. The index of a file of
// another program is only read: its tables of characters may be of another version of Unicode.
func (v *verifier) text(ctx context.Context) error {
	stored, err := v.s.Text(ctx)
	if err != nil || stored == nil {
		return err
	}
	if !v.s.Mapped() {
		return stored.All(ctx, func(read.TextToken) error { return nil })
	}
	folder := scratch.New(vfs.OS(), vfs.TempDir(""), 0)
	defer folder.Close()
	space := &spool.Space{Folder: folder, Limit: 64 << 20}
	b := textindex.NewBuilder(64<<20, func() textindex.Run { return space.New() })
	if err := v.tokens(ctx, b); err != nil {
		return err
	}
	return sameText(ctx, stored, b)
}

// tokens gives the builder what the index must have.
func (v *verifier) tokens(ctx context.Context, b *textindex.Builder) error {
	rows, err := v.p.Scan(ctx, 0, tile.OSP)
	if err != nil {
		return err
	}
	shared := v.p.Counts().Shared
	terms, local, limit := v.p.AllTerms(format.Shared), uint32(0), shared
	var term []byte
	object := uint32(0)
	for {
		run, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := run.Lo; i < run.Hi; i++ {
			o, s, _ := run.Tile.Row(i)
			if o > shared && limit == shared {
				terms, local, limit = v.p.AllTerms(format.ObjectOnly), shared, ^uint32(0)
			}
			for local < o {
				if term, err = terms.Next(ctx); err != nil {
					return err
				}
				local++
			}
			if o != object {
				object = o
				b.Tokens(term)
			}
			b.Add(s)
			if b.Full() {
				if err := b.Rest(ctx); err != nil {
					return err
				}
				b.Tokens(term)
			}
		}
	}
}

// sameText compares what is stored with what must be.
func sameText(ctx context.Context, stored *read.Text, b *textindex.Builder) error {
	var bad error
	next, stop := iter.Pull(func(yield func(read.TextToken) bool) {
		err := stored.All(ctx, func(t read.TextToken) error {
			if !yield(t) {
				return context.Canceled
			}
			return nil
		})
		if bad == nil {
			bad = err
		}
	})
	defer stop()
	var at read.TextToken
	ok := true
	err := b.Each(ctx, func(token []byte, subject uint32) error {
		if ok && len(at.Subjects) == 0 {
			at, ok = next()
		}
		if !ok || at.Token != string(token) || at.Subjects[0] != subject {
			if bad != nil {
				return bad
			}
			return damage.New("text index", "the token %q of subject %d is not where it must be", token, subject)
		}
		at.Subjects = at.Subjects[1:]
		return nil
	})
	if err != nil {
		return err
	}
	if more, ok := next(); ok || len(at.Subjects) > 0 {
		return damage.New("text index", "subjects of the token %q that do not have it", at.Token+more.Token)
	}
	return bad
}
