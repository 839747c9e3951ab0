package read

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/textindex"
)

// Text is the text index of a segment: the subjects of each token of the literals of the
// default graph. It may be used by several goroutines.
type Text struct {
	s     *Segment
	table *textindex.Table
	lists int64 // where they begin in the section
	size  int64 // of them
}

// TextToken is a token and its subjects, by subject id, ascending.
type TextToken struct {
	Token    string
	Subjects []uint32
}

// Text opens the text index, with all its tokens: of a file far away those are one range, or two
// if they are many. It returns nil if the file has none.
func (s *Segment) Text(ctx context.Context) (_ *Text, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	section := s.head.Section(format.KindTextIndex)
	if section.Length == 0 {
		return nil, nil
	}
	if err = s.ready(ctx); err != nil {
		return nil, err
	}
	return cached(ctx, s, wholeText, func(ctx context.Context) (*Text, int64, error) {
		t := &Text{s: s}
		if err := t.open(ctx, int64(section.Length)); err != nil {
			return nil, 0, err
		}
		return t, t.table.Bytes(), nil
	})
}

// firstText is what is read of an index before the length of its table is known.
const firstText = 256 << 10

// open reads the token table.
func (t *Text) open(ctx context.Context, size int64) error {
	raw, lists, err := t.s.gen.tokens(ctx)
	if err != nil {
		return err
	}
	t.lists, t.size = lists, size-lists
	if t.table, err = textindex.ParseTable(raw, uint64(t.size)); err != nil {
		return t.damaged(err, 0)
	}
	return nil
}

// tokens reads the token table.
func (g *gen05) tokens(ctx context.Context) (table []byte, lists int64, err error) {
	t, size := &Text{s: g.s}, int64(g.s.head.Section(format.KindTextIndex).Length)
	b, err := t.part(ctx, 0, min(size, firstText))
	if err != nil {
		return nil, 0, err
	}
	length, k := binary.Uvarint(b)
	if k <= 0 || length > uint64(size-int64(k)) {
		return nil, 0, t.damaged(fmt.Errorf("a token table of %d bytes in a section of %d", length, size), 0)
	}
	lists = int64(k) + int64(length)
	stored := b[k:min(int64(len(b)), lists)]
	if rest := lists - int64(len(b)); rest > 0 {
		more, err := t.part(ctx, int64(len(b)), rest)
		if err != nil {
			return nil, 0, err
		}
		stored = append(stored[:len(stored):len(stored)], more...)
	}
	most := min(t.s.maxUnit, textindex.MaxTable)
	table, err = codec.Decompress(codec.Codec(t.s.head.BlockCodec), nil, stored, int(most))
	if err != nil {
		return nil, 0, t.damaged(t.s.tooBig(err, 0), 0)
	}
	return table, lists, nil
}

// part returns bytes of the section.
func (t *Text) part(ctx context.Context, off, n int64) ([]byte, error) {
	b, err := Inspector{t.s}.ReadPart(ctx, format.KindTextIndex, blob.Range{Off: off, Len: n})
	if err != nil {
		return nil, err
	}
	return b[0], nil
}

// damaged says that the index is hurt at an offset.
func (t *Text) damaged(err error, off int64) error {
	return t.s.unitErr(err, int64(t.s.head.Section(format.KindTextIndex).Offset)+off, "text index")
}

// Tokens returns how many tokens the index has.
func (t *Text) Tokens() uint64 { return t.table.Tokens() }

// Find returns the tokens that are word, or with prefix begin with it, with suffix end with it, with both have it
// in them, ascending. The lists of subjects must not be changed. Those of a file far away are one range, unless
// there is suffix.
func (t *Text) Find(ctx context.Context, word string, prefix, suffix bool) (_ []TextToken, err error) {
	if err = t.s.over(); err != nil {
		return
	}
	defer t.s.late(&err)
	var found []TextToken
	var spans []textindex.Span
	if suffix {
		w := textindex.Word{Text: word, Prefix: prefix, Suffix: true}
		t.table.From("", func(token []byte, list textindex.Span) bool {
			if w.Matches(token) {
				found, spans = append(found, TextToken{Token: string(token)}), append(spans, list)
			}
			return true
		})
		return found, t.read(ctx, found, spans)
	}
	t.table.From(word, func(token []byte, list textindex.Span) bool {
		if string(token) != word && !(prefix && strings.HasPrefix(string(token), word)) {
			return false
		}
		found, spans = append(found, TextToken{Token: string(token)}), append(spans, list)
		return prefix
	})
	if prefix || len(found) == 0 {
		return found, t.read(ctx, found, spans)
	}
	found[0].Subjects, err = cached(ctx, t.s, unitText|spans[0].Off, func(ctx context.Context) ([]uint32, int64, error) {
		one := []TextToken{{}}
		err := t.read(ctx, one, spans)
		return one[0].Subjects, int64(4*cap(one[0].Subjects)) + 24, err
	})
	return found, err
}

// together is how many bytes of lists are read at once.
const together = 4 << 20

// read fills in the subjects of tokens.
func (t *Text) read(ctx context.Context, found []TextToken, spans []textindex.Span) error {
	most := t.s.counts.Shared + t.s.counts.Subjects
	for len(spans) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, off, end := 1, spans[0].Off, spans[0].Off+spans[0].Len
		for n < len(spans) && spans[n].Off == end && end+spans[n].Len-off <= together {
			end += spans[n].Len
			n++
		}
		b, err := t.part(ctx, t.lists+int64(off), int64(end-off))
		if err != nil {
			return err
		}
		for i := range n {
			at := spans[i].Off - off
			if found[i].Subjects, err = textindex.AppendList(nil, b[at:at+spans[i].Len], most); err != nil {
				return t.damaged(err, t.lists+int64(spans[i].Off))
			}
		}
		found, spans = found[n:], spans[n:]
	}
	return nil
}

// All calls use with all tokens, ascending, and their subjects.
func (t *Text) All(ctx context.Context, use func(TextToken) error) (err error) {
	var found []TextToken
	var spans []textindex.Span
	end := uint64(0)
	flush := func() error {
		if err := t.read(ctx, found, spans); err != nil {
			return err
		}
		for _, k := range found {
			if err := use(k); err != nil {
				return err
			}
		}
		found, spans = found[:0], spans[:0]
		return nil
	}
	t.table.From("", func(token []byte, list textindex.Span) bool {
		if list.Off != end {
			err = t.s.named(damage.New("text index", "a list at %d, the one before ends at %d", list.Off, end))
			return false
		}
		end += list.Len
		found, spans = append(found, TextToken{Token: string(token)}), append(spans, list)
		if len(found) == 1024 || list.Len > together/64 {
			err = flush()
		}
		return err == nil
	})
	if err == nil {
		err = flush()
	}
	if err == nil && end != uint64(t.size) {
		err = t.s.named(damage.New("text index", "lists of %d bytes, there are %d", end, t.size))
	}
	return err
}
