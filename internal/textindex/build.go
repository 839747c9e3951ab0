package textindex

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math/bits"
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
	pairs    [][]pair // all full but the last one
	runs     []Run
	splitter Splitter
	keys     []uint64 // of the short tokens of the literal at hand
	seen     []uint32 // its distinct tokens
	literal  uint32   // its number
	bits     []uint64 // of the subjects of a token, as they are sorted
}

// pair is a token, by its number, that a subject has.
type pair struct{ token, subject uint32 }

// pairsAtOnce is how many pairs are allocated together: a list that grows as a whole is moved again and again.
const pairsAtOnce = 1 << 13

// What a token and a pair take in memory, about: in the table, and as they are sorted.
const (
	tokenBytes = 120
	pairBytes  = 8 + 4
)

// NewBuilder returns a builder that holds about most bytes in memory.
func NewBuilder(most int64, newRun func() Run) *Builder {
	return &Builder{most: most, newRun: newRun, tokens: newNumbers()}
}

// Tokens takes the tokens of a literal, which [Builder.Add] then gives to subjects. It reports
// whether there are any.
func (b *Builder) Tokens(surface []byte) bool {
	b.seen = b.seen[:0]
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
	for _, n := range b.seen {
		last := len(b.pairs) - 1
		if last < 0 || len(b.pairs[last]) == pairsAtOnce {
			b.pairs, last = append(b.pairs, make([]pair, 0, pairsAtOnce)), last+1
		}
		b.pairs[last] = append(b.pairs[last], pair{n, subject})
	}
}

// count returns how many pairs there are.
func (b *Builder) count() int {
	if len(b.pairs) == 0 {
		return 0
	}
	return (len(b.pairs)-1)*pairsAtOnce + len(b.pairs[len(b.pairs)-1])
}

// Full reports whether more is in memory than may be.
func (b *Builder) Full() bool {
	return int64(b.count())*pairBytes+int64(len(b.tokens.names))*tokenBytes+b.tokens.text >= b.most
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
func (b *Builder) each(ctx context.Context, use func(token string, subjects []uint32) error) error {
	order, err := b.order(ctx)
	if err != nil {
		return err
	}
	names := b.tokens.names
	ends := make([]int, len(names)+1) // first where the subjects of a token end, then where they begin
	for _, part := range b.pairs {
		for _, p := range part {
			ends[p.token]++
		}
	}
	total := 0
	for i, n := range ends {
		total += n
		ends[i] = total
	}
	sorted := make([]uint32, total)
	for _, part := range slices.Backward(b.pairs) {
		for i := len(part) - 1; i >= 0; i-- {
			n := part[i].token
			ends[n]--
			sorted[ends[n]] = part[i].subject
		}
	}
	b.pairs = nil
	for i, item := range order {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		n := item.number
		list := b.distinct(sorted[ends[n]:ends[n+1]])
		if len(list) == 0 {
			continue
		}
		if err := use(names[n], list); err != nil {
			return err
		}
	}
	b.tokens.clear()
	return nil
}

// sparse is how many words of bits for each subject take as long as a sort.
const sparse = 16

// distinct sorts subjects and drops repeats, in place. Those of a word that many have are sorted as bits.
func (b *Builder) distinct(list []uint32) []uint32 {
	if slices.IsSorted(list) {
		return slices.Compact(list)
	}
	least, most := slices.Min(list), slices.Max(list)
	words := int((most-least)/64) + 1
	if words > sparse*len(list) {
		slices.Sort(list)
		return slices.Compact(list)
	}
	if len(b.bits) < words {
		b.bits = make([]uint64, words)
	}
	for _, s := range list {
		b.bits[(s-least)/64] |= 1 << ((s - least) % 64)
	}
	list = list[:0]
	for i, w := range b.bits[:words] {
		for ; w != 0; w &= w - 1 {
			list = append(list, least+uint32(i*64+bits.TrailingZeros64(w)))
		}
		b.bits[i] = 0
	}
	return list
}

// named is a token, with its first bytes as a number that compares like them.
type named struct {
	first  uint64
	number uint32
}

// order returns the tokens in their order.
func (b *Builder) order(ctx context.Context) ([]named, error) {
	names := b.tokens.names
	order := make([]named, len(names))
	for i, name := range names {
		var first [8]byte
		copy(first[:], name)
		order[i] = named{binary.BigEndian.Uint64(first[:]), uint32(i)}
	}
	return order, cancel.Sort(ctx, order, func(x, y named) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		return cmp.Compare(names[x.number], names[y.number])
	})
}

// runWriter writes tokens with their subjects, as differences, to a run.
type runWriter struct {
	out io.Writer
	buf []byte
}

func (w *runWriter) add(token string, subjects []uint32) error {
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
