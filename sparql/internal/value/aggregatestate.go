package value

import (
	"encoding/binary"
	"math"
	"math/big"
)

// What an aggregate has collected is written for a file of the same process. Values are
// written as their surfaces: they are what it is in the end, and decode to the same.

// appendText appends a text with its length.
func appendText[T ~string | ~[]byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// stateReader reads a state; it fails at its end.
type stateReader struct {
	rest []byte
	bad  bool
}

func (r *stateReader) next() byte {
	if len(r.rest) == 0 {
		r.bad = true
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *stateReader) int() int64 {
	n, used := binary.Varint(r.rest)
	if used <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[used:]
	return n
}

func (r *stateReader) text() []byte {
	n, used := binary.Uvarint(r.rest)
	if used <= 0 || n > uint64(len(r.rest)-used) {
		r.bad = true
		return nil
	}
	text := r.rest[used : used+int(n)]
	r.rest = r.rest[used+int(n):]
	return text
}

// value reads a value, which then owns its text.
func (r *stateReader) value() Value { return DecodeString(string(r.text())) }

// whole reports whether all was read, and nothing else.
func (r *stateReader) whole() bool { return !r.bad && len(r.rest) == 0 }

// flags packs conditions.
func flags(list ...bool) (b byte) {
	for i, f := range list {
		if f {
			b |= 1 << i
		}
	}
	return b
}

// AppendState implements [Aggregate].
func (c *count) AppendState(dst []byte) []byte { return binary.AppendVarint(dst, c.n) }

// ReadState implements [Aggregate].
func (c *count) ReadState(state []byte) bool {
	r := stateReader{rest: state}
	c.n = r.int()
	return r.whole()
}

// AppendState implements [Aggregate].
func (s *Sum) AppendState(dst []byte) []byte {
	dst = append(dst, flags(s.exacts, s.failed, s.floats != nil), byte(s.kind))
	dst = binary.AppendVarint(dst, s.small)
	dst = appendText(dst, s.exact.Surface())
	if s.floats != nil {
		dst = s.floats.appendState(dst)
	}
	return dst
}

// ReadState implements [Aggregate].
func (s *Sum) ReadState(state []byte) bool {
	r := stateReader{rest: state}
	s.read(&r)
	return r.whole()
}

func (s *Sum) read(r *stateReader) {
	f := r.next()
	*s = Sum{kind: Kind(r.next()), small: r.int(), exacts: f&1 != 0, failed: f&2 != 0}
	if v := r.value(); v.kind != None {
		s.exact = bare(v)
	}
	if f&4 != 0 {
		s.floats = new(exactSum)
		s.floats.read(r)
	}
}

func (s *exactSum) appendState(dst []byte) []byte {
	dst = append(dst, flags(s.posInf, s.negInf, s.nan, s.positive, s.any, s.large != nil))
	dst = binary.AppendVarint(dst, int64(len(s.partials)))
	for _, p := range s.partials {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(p))
	}
	if s.large != nil {
		dst = appendText(dst, s.large.Append(nil, 'p', -1))
	}
	return dst
}

func (s *exactSum) read(r *stateReader) {
	f := r.next()
	s.posInf, s.negInf, s.nan, s.positive, s.any = f&1 != 0, f&2 != 0, f&4 != 0, f&8 != 0, f&16 != 0
	n := r.int()
	if n < 0 || n > int64(len(r.rest)/8) {
		r.bad = true
		return
	}
	s.partials = make([]float64, n)
	for i := range s.partials {
		s.partials[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.rest[8*i:]))
	}
	r.rest = r.rest[8*n:]
	if f&32 != 0 {
		large, _, err := big.ParseFloat(string(r.text()), 0, largePrec, big.ToNearestEven)
		if s.large = large; err != nil {
			r.bad = true
		}
	}
}

// AppendState implements [Aggregate].
func (a *avg) AppendState(dst []byte) []byte {
	return a.sum.AppendState(binary.AppendVarint(dst, a.n))
}

// ReadState implements [Aggregate].
func (a *avg) ReadState(state []byte) bool {
	r := stateReader{rest: state}
	a.n = r.int()
	a.sum.read(&r)
	return r.whole()
}

// AppendState implements [Aggregate].
func (e *extreme) AppendState(dst []byte) []byte {
	return appendText(append(dst, flags(e.failed)), e.best.Surface())
}

// ReadState implements [Aggregate].
func (e *extreme) ReadState(state []byte) bool {
	r := stateReader{rest: state}
	e.failed = r.next() != 0
	e.best = r.value()
	return r.whole()
}

// AppendState implements [Aggregate].
func (s *sample) AppendState(dst []byte) []byte { return appendText(dst, s.v.Surface()) }

// ReadState implements [Aggregate].
func (s *sample) ReadState(state []byte) bool {
	r := stateReader{rest: state}
	s.v = r.value()
	return r.whole()
}

// AppendState implements [Aggregate].
func (g *groupConcat) AppendState(dst []byte) []byte {
	return appendText(append(dst, flags(g.any, g.failed)), g.text)
}

// ReadState implements [Aggregate].
func (g *groupConcat) ReadState(state []byte) bool {
	r := stateReader{rest: state}
	f := r.next()
	g.any, g.failed = f&1 != 0, f&2 != 0
	g.text = append([]byte(nil), r.text()...)
	return r.whole()
}
