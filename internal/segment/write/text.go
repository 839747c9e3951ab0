package write

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/internal/textindex"
	"github.com/rete-go/rete/tile"
)

// leastText is what the tokens of a text index may take in memory whatever the file may.
const leastText = 1 << 20

// writeText makes the text index of the literals of the default graph; nothing without a token.
func writeText(ctx context.Context, from *sorted.File, out io.Writer) error {
	t := &textWriter{from: from, tokens: textindex.NewBuilder(max(from.Memory, leastText), func() textindex.Run { return from.Temp() })}
	rows := from.Rows(tile.OSP)
	for {
		part, err := rows.Next(ctx)
		if err == io.EOF {
			return t.tokens.Write(ctx, out, from.Codec, from.Level)
		}
		if err == nil {
			err = t.add(ctx, part)
		}
		if err != nil {
			return err
		}
	}
}

// textWriter gives the tokens of objects to their subjects.
type textWriter struct {
	from   *sorted.File
	tokens *textindex.Builder

	terms  *sorted.Terms
	sec    format.Section
	local  uint32 // of the term that was read last, in sec
	term   []byte
	object uint32 // whose tokens the builder has
	any    bool   // it has tokens
}

// add takes the rows of a tile, by object and then by subject.
func (t *textWriter) add(ctx context.Context, part *tile.Tile) error {
	first := 0
	for i, o := range part.A {
		end := int(part.AEnd[i])
		if o != t.object {
			if err := t.take(ctx, o); err != nil {
				return err
			}
		}
		for _, s := range part.B[first:end] {
			if !t.any {
				break
			}
			t.tokens.Add(s)
			if t.tokens.Full() {
				if err := t.tokens.Rest(ctx); err != nil {
					return err
				}
				t.tokens.Tokens(t.term)
			}
		}
		first = end
	}
	return nil
}

// take gives the builder the tokens of an object, which comes after those before.
func (t *textWriter) take(ctx context.Context, o uint32) (err error) {
	sec, local := format.Shared, o
	if shared := t.from.Counts.Shared; o > shared {
		sec, local = format.ObjectOnly, o-shared
	}
	if t.terms == nil || sec != t.sec {
		t.terms, t.sec, t.local = t.from.Terms(sec), sec, 0
	}
	t.object, t.any = o, false
	if local > t.from.Literals[sec] {
		return nil
	}
	for ; t.local < local; t.local++ {
		if t.term, err = t.terms.Next(ctx); err != nil {
			return err
		}
	}
	t.any = t.tokens.Tokens(t.term)
	return nil
}
