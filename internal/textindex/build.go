package textindex

import (
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

	numbers  map[string]uint32 // of tokens, by arrival
	names    []string
	common   []uint32 // numbers plus 1 of tokens that came lately, by a hash: few words are most of a text
	text     int64
	token    []uint32 // number of the token of each pair
	subject  []uint32
	runs     []Run
	splitter Splitter
	seen     []uint32 // tokens of the literal at hand
}

// What a token and a pair take in memory, about: in the table, and as they are sorted.
const (
	tokenBytes = 120
	pairBytes  = 8 + 4
)

// NewBuilder returns a builder that holds about most bytes in memory.
func NewBuilder(most int64, newRun func() Run) *Builder {
	return &Builder{most: most, newRun: newRun, numbers: map[string]uint32{}, common: make([]uint32, 1<<commonBits)}
}

// commonBits is the binary logarithm of the tokens that are found without the map.
const commonBits = 13

// number returns the number of a token.
func (b *Builder) number(token []byte) uint32 {
	hash := uint64(len(token))
	for _, c := range token {
		hash = (hash ^ uint64(c)) * 0x9e3779b97f4a7c15
	}
	near := &b.common[hash>>(64-commonBits)]
	if n := *near; n > 0 && b.names[n-1] == string(token) {
		return n - 1
	}
	n, ok := b.numbers[string(token)]
	if !ok {
		n = uint32(len(b.names))
		name := string(token)
		b.numbers[name] = n
		b.names = append(b.names, name)
		b.text += int64(len(name))
	}
	*near = n + 1
	return n
}

// Tokens takes the tokens of a literal, which [Builder.Add] then gives to subjects. It reports
// whether there are any.
func (b *Builder) Tokens(surface []byte) bool {
	b.seen = b.seen[:0]
	b.splitter.Literal(surface, func(token []byte) { b.seen = append(b.seen, b.number(token)) })
	slices.Sort(b.seen)
	b.seen = slices.Compact(b.seen)
	return len(b.seen) > 0
}

// Add says that a subject has the literal at hand. Repeats do no harm.
func (b *Builder) Add(subject uint32) {
	for _, n := range b.seen {
		b.token, b.subject = append(b.token, n), append(b.subject, subject)
	}
}

// Full reports whether more is in memory than may be.
func (b *Builder) Full() bool {
	return int64(len(b.token))*pairBytes+int64(len(b.names))*tokenBytes+b.text >= b.most
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
	ends := make([]int, len(b.names)+1) // first where the subjects of a token end, then where they begin
	for _, n := range b.token {
		ends[n]++
	}
	total := 0
	for i, n := range ends {
		total += n
		ends[i] = total
	}
	sorted := make([]uint32, len(b.token))
	for i := len(b.token) - 1; i >= 0; i-- {
		n := b.token[i]
		ends[n]--
		sorted[ends[n]] = b.subject[i]
	}
	for i, item := range order {
		if err := cancel.Check(ctx, i); err != nil {
			return err
		}
		n := item.number
		list := sorted[ends[n]:ends[n+1]]
		if !slices.IsSorted(list) {
			slices.Sort(list)
		}
		if list = slices.Compact(list); len(list) == 0 {
			continue
		}
		if err := use(b.names[n], list); err != nil {
			return err
		}
	}
	clear(b.numbers)
	clear(b.names)
	clear(b.common)
	b.names, b.text = b.names[:0], 0
	b.token, b.subject = b.token[:0], b.subject[:0]
	return nil
}

// named is a token, with its first bytes as a number that compares like them.
type named struct {
	first  uint64
	number uint32
}

// order returns the tokens in their order.
func (b *Builder) order(ctx context.Context) ([]named, error) {
	order := make([]named, len(b.names))
	for i, name := range b.names {
		var first [8]byte
		copy(first[:], name)
		order[i] = named{binary.BigEndian.Uint64(first[:]), uint32(i)}
	}
	return order, cancel.Sort(ctx, order, func(x, y named) int {
		if x.first != y.first {
			return cmp.Compare(x.first, y.first)
		}
		return cmp.Compare(b.names[x.number], b.names[y.number])
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
