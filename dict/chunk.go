package dict

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
)

// Chunk is a decoded chunk: its terms back to back in one slab.
type Chunk struct {
	slab []byte
	ends []uint32 // ends[i] is the end of term i in slab
	r    int      // run length
}

// Len returns the number of terms.
func (c *Chunk) Len() int { return len(c.ends) }

// Bytes returns the size of the chunk in memory.
func (c *Chunk) Bytes() int64 { return int64(cap(c.slab)) + 4*int64(cap(c.ends)) }

// At returns term i of the chunk, 0 <= i < Len: a view that must not be changed.
func (c *Chunk) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.slab[start:c.ends[i]:c.ends[i]]
}

// Find returns the place of term, or where it would stand, and whether it is
// there.
func (c *Chunk) Find(term []byte) (i int, found bool) {
	return c.search(0, len(c.ends), term)
}

// FindFrom is [Chunk.Find] among the terms from place lo on; all before it must
// be less than term. A sorted batch is located by passing each result on, or the place after
// what was found, which costs little whether the batch is dense or sparse: a term that stands
// at lo takes one comparison.
func (c *Chunk) FindFrom(lo int, term []byte) (i int, found bool) {
	hi := len(c.ends)
	for step := 1; lo+step <= hi; step <<= 1 {
		m := lo + step - 1
		switch bytes.Compare(c.At(m), term) {
		case 0:
			return m, true
		case 1:
			return c.search(lo, m, term)
		}
		lo = m + 1
	}
	return c.search(lo, hi, term)
}

// search looks for term in the places lo to hi-1.
func (c *Chunk) search(lo, hi int, term []byte) (int, bool) {
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		switch bytes.Compare(c.At(m), term) {
		case 0:
			return m, true
		case -1:
			lo = m + 1
		default:
			hi = m
		}
	}
	return lo, false
}

// DecodeChunk parses the raw content of one chunk into c, whose memory is
// reused. The chunk begins with the first term of a run, holds exactly terms
// terms in runs of r, and its first term must be first; nil is not compared, for
// directories that do not hold first terms (see [ChunkEntry]).
//
// Everything is checked: lengths, shared prefixes, strict order, the number of
// terms, trailing bytes. Errors match engine.ErrDamaged and leave c empty. The
// terms may have limit bytes together at most: a shared prefix counts again in
// each term, so a few raw bytes can stand for many.
func DecodeChunk(raw, first []byte, terms, r, limit int, c *Chunk) error {
	err := c.decode(raw, terms, r, limit)
	if err == nil && first != nil && !bytes.Equal(c.At(0), first) {
		err = errChunk(0, "the first term is not the one of the directory")
	}
	if err != nil {
		c.slab, c.ends = c.slab[:0], c.ends[:0]
	}
	return err
}

func errChunk(offset int, format string, args ...any) error {
	e := damage.New("dictionary chunk", format, args...)
	e.Offset = int64(offset)
	return e
}

func (c *Chunk) decode(raw []byte, terms, r, limit int) error {
	// A term takes two bytes at least.
	if terms <= 0 || r <= 0 || terms > len(raw)/2 {
		return errChunk(0, "%d terms in runs of %d do not fit %d bytes", terms, r, len(raw))
	}
	size, err := unpackedSize(raw, terms, r, int(min(uint64(limit), math.MaxUint32, math.MaxInt)))
	if err != nil {
		return err
	}
	if cap(c.slab) < size {
		c.slab = make([]byte, 0, size)
	}
	if cap(c.ends) < terms {
		c.ends = make([]uint32, 0, terms)
	}
	slab, ends := c.slab[:0], c.ends[:0]
	p, prev := 0, 0 // prev: where the previous term begins
	for i := range terms {
		shared, next := number(raw, p)
		n, from := number(raw, next)
		last := slab[prev:]
		fresh := raw[from : from+n]
		p = from + n
		start := len(slab)
		slab = append(slab, last[:shared]...)
		slab = append(slab, fresh...)
		if i > 0 && !ascends(last, slab[start:], shared) {
			return errChunk(p, "term %d does not ascend", i)
		}
		prev = start
		ends = append(ends, uint32(len(slab)))
	}
	c.slab, c.ends, c.r = slab, ends, r
	return nil
}

// ascends reports whether last < next, knowing that they share a prefix.
func ascends(last, next []byte, shared int) bool {
	if shared < len(last) && shared < len(next) && last[shared] != next[shared] {
		return last[shared] < next[shared]
	}
	return bytes.Compare(last[shared:], next[shared:]) < 0
}

// number reads a varint that unpackedSize has accepted.
func number(raw []byte, p int) (v, next int) {
	if b := raw[p]; b < 0x80 {
		return int(b), p + 1
	}
	w, n := binary.Uvarint(raw[p:])
	return int(w), p + n
}

// uvarint is binary.Uvarint of raw[p:], quick where it is one byte, as nearly all are.
func uvarint(raw []byte, p int) (v uint64, n int) {
	if p < len(raw) && raw[p] < 0x80 {
		return uint64(raw[p]), 1
	}
	return binary.Uvarint(raw[p:])
}

// unpackedSize walks a chunk, checks every length, and returns how many bytes
// its terms have together, so that one exact allocation follows.
func unpackedSize(raw []byte, terms, r, limit int) (int, error) {
	p, total, last := 0, 0, 0
	left := 0 // terms until the next run
	for i := range terms {
		shared, n := uvarint(raw, p)
		if n <= 0 {
			return 0, errChunk(p, "term %d is cut short", i)
		}
		p += n
		fresh, n := uvarint(raw, p)
		if n <= 0 {
			return 0, errChunk(p, "term %d is cut short", i)
		}
		p += n
		if fresh > uint64(len(raw)-p) {
			return 0, errChunk(p, "term %d has %d bytes of %d left", i, fresh, len(raw)-p)
		}
		if left == 0 {
			left = r
			if shared != 0 {
				return 0, errChunk(p, "term %d begins a run and shares %d bytes", i, shared)
			}
		}
		left--
		if shared > uint64(last) {
			return 0, errChunk(p, "term %d shares %d bytes of %d", i, shared, last)
		}
		p += int(fresh)
		last = int(shared) + int(fresh)
		if last > limit-total {
			return 0, errChunk(p, "the terms have more than the %d bytes allowed", limit)
		}
		total += last
	}
	if p != len(raw) {
		return 0, errChunk(p, "%d bytes after the last term", len(raw)-p)
	}
	return total, nil
}
