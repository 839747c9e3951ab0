package textindex

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/cancel"
)

// Run is a place for bytes that wait to be merged.
type Run interface {
	io.Writer
	Reader() (io.Reader, error) // of all that was written
	Discard()                   // gives the place back
}

// Builder collects the tokens of literals with their subjects. What is in memory is bounded;
// more waits in runs, each of them sorted.
type Builder struct {
	most   int64 // bytes in memory
	newRun func() Run

	tokens   numbers
	lists    lists
	runs     []Run
	splitter Splitter
	keys     []key    // of the short tokens of the literal at hand
	seen     []uint32 // its distinct tokens
	literal  uint32   // its number
	place    uint32   // of its tokens in lists
	kept     bool     // they are there
}

// NewBuilder returns a builder that holds about most bytes in memory.
func NewBuilder(most int64, newRun func() Run) *Builder {
	return &Builder{most: most, newRun: newRun, tokens: newNumbers()}
}

// Tokens takes the tokens of a literal, which [Builder.Add] then gives to subjects. It reports
// whether there are any.
func (b *Builder) Tokens(surface []byte) bool {
	b.seen, b.kept = b.seen[:0], false
	if b.literal++; b.literal == 0 { // they are counted anew
		b.tokens.unsee()
		b.literal = 1
	}
	b.splitter.Literal(surface, func(token []byte) {
		if key, short := keyOf(token); short {
			if b.keys = append(b.keys, key); len(b.keys) == keysAtOnce {
				b.findKeys()
			}
		} else if n, fresh := b.tokens.long(token, b.literal); fresh {
			b.seen = append(b.seen, n)
		}
	})
	b.findKeys()
	return len(b.seen) > 0
}

// keysAtOnce is how many short tokens of a literal, repeats among them, wait to be looked up.
const keysAtOnce = 1 << 12

// findKeys looks up the short tokens that wait: one after the other, so that the processor fetches
// several slots at a time.
func (b *Builder) findKeys() {
	for _, key := range b.keys {
		if n, fresh := b.tokens.short(key, b.literal); fresh {
			b.seen = append(b.seen, n)
		}
	}
	b.keys = b.keys[:0]
}

// Add says that a subject has the literal at hand. Repeats do no harm.
func (b *Builder) Add(subject uint32) {
	if len(b.seen) == 0 {
		return
	}
	if !b.kept {
		b.place, b.kept = b.lists.add(b.seen), true
	}
	b.lists.own(subject, b.place, len(b.seen))
}

// Full reports whether more is in memory than may be.
func (b *Builder) Full() bool {
	return b.lists.bytes()+b.tokens.bytes() >= b.most || b.lists.full()
}

// Rest moves what is in memory to a run, the tokens of the literal at hand too.
func (b *Builder) Rest(ctx context.Context) error {
	r := b.newRun()
	w := &runWriter{out: r}
	if err := b.each(ctx, w.add); err != nil {
		return err
	}
	if _, err := r.Write(w.buf); err != nil {
		return err
	}
	b.runs = append(b.runs, r)
	return nil
}

// each calls use with the tokens in memory, ascending, and their subjects, ascending and
// distinct, and drops them all.
func (b *Builder) each(ctx context.Context, use func(token []byte, subjects []uint32) error) error {
	order, err := b.order(ctx)
	if err != nil {
		return err
	}
	begins, subjects, err := b.lists.byToken(ctx, len(b.tokens.ends))
	if err != nil {
		return err
	}
	for i, item := range order {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		n := item.number
		list := slices.Compact(subjects[begins[n]:begins[n+1]])
		if len(list) == 0 {
			continue
		}
		if err := use(b.tokens.name(n), list); err != nil {
			return err
		}
	}
	b.tokens = newNumbers()
	return nil
}

// named is a token, with its first bytes as a number that compares like them.
type named struct {
	first  uint64
	number uint32
}

// order returns the tokens in their order.
func (b *Builder) order(ctx context.Context) ([]named, error) {
	order := make([]named, len(b.tokens.ends))
	for i := range order {
		var first [8]byte
		copy(first[:], b.tokens.name(uint32(i)))
		order[i] = named{binary.BigEndian.Uint64(first[:]), uint32(i)}
	}
	return order, cancel.Sort(ctx, order, func(x, y named) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		return bytes.Compare(b.tokens.name(x.number), b.tokens.name(y.number))
	})
}

// runWriter writes tokens with their subjects, as differences, to a run.
type runWriter struct {
	out io.Writer
	buf []byte
}

func (w *runWriter) add(token []byte, subjects []uint32) error {
	w.buf = binary.AppendUvarint(w.buf, uint64(len(token)))
	w.buf = append(w.buf, token...)
	w.buf = binary.AppendUvarint(w.buf, uint64(len(subjects)))
	last := uint32(0)
	for _, s := range subjects {
		w.buf = binary.AppendUvarint(w.buf, uint64(s-last))
		last = s
		if len(w.buf) > 64<<10 {
			if _, err := w.out.Write(w.buf); err != nil {
				return err
			}
			w.buf = w.buf[:0]
		}
	}
	return nil
}
