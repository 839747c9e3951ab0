package dict

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
)

// Head is the begin of a payload, without the offsets of the runs.
type Head struct {
	Terms  uint32 // in the section
	R      int    // run length
	Runs   uint32
	Chunks int64 // where the chunk directory begins, in the payload
}

// minGrow is the least prefix that the ranged parsers ask for.
const minGrow = 4096

// ParseHead parses the first bytes of a payload that is size bytes long as a
// whole. If prefix is too short, need is the length to try next, larger than
// len(prefix) and at most size, and there is no error.
//
// Errors match engine.ErrDamaged. Nothing is allocated.
func ParseHead(prefix []byte, size int64) (h Head, need int64, err error) {
	r := newReader(prefix, size)
	length := r.uv()
	start := int64(r.p)
	terms, interval, runs := r.uv(), r.uv(), r.uv()
	if r.state != ok {
		return Head{}, r.need(), r.err("dictionary header")
	}
	bad := func(format string, args ...any) (Head, int64, error) {
		return Head{}, 0, damage.New("dictionary header", format, args...)
	}
	switch {
	case length > uint64(size-start) || int64(length) < int64(r.p)-start:
		return bad("a header of %d bytes in a payload of %d", length, size)
	case terms > math.MaxUint32:
		return bad("%d terms, more than 32 bits count", terms)
	case interval == 0:
		return bad("runs of 0 terms")
	case interval > math.MaxInt32 && terms > math.MaxInt32:
		return bad("%d terms in runs of %d", terms, interval)
	}
	wantRuns := terms / interval
	if terms%interval != 0 {
		wantRuns++
	}
	end := start + int64(length)
	if runs != wantRuns || runs > uint64(end-int64(r.p)) {
		return bad("%d runs for %d terms in runs of %d", runs, terms, interval)
	}
	return Head{
		Terms:  uint32(terms),
		R:      int(min(interval, math.MaxInt32)),
		Runs:   uint32(runs),
		Chunks: end,
	}, 0, nil
}

// ParseChunks parses the chunk directory, which prefix begins with: the bytes of
// the payload from h.Chunks on. size is the length of the whole payload. If
// prefix is too short, need is the length to try next, larger than len(prefix),
// and there is no error. The first terms are views
// into prefix.
//
// Memory is bounded by the bytes in prefix, not by the count that they state.
// Errors match engine.ErrDamaged.
func ParseChunks(h Head, prefix []byte, size int64) (d Directory, need int64, err error) {
	size -= h.Chunks
	r := newReader(prefix, size)
	count := r.uv()
	if r.state != ok {
		return Directory{}, r.need(), r.err("chunk directory")
	}
	bad := func(format string, args ...any) (Directory, int64, error) {
		return Directory{}, 0, damage.New("chunk directory", format, args...)
	}
	if (count == 0) != (h.Runs == 0) || count > uint64(size)/3 || count > uint64(h.Runs) {
		return bad("%d chunks for %d runs in %d bytes", count, h.Runs, size)
	}
	d = Directory{Terms: h.Terms, R: h.R}
	d.Chunks = make([]ChunkEntry, 0, min(count, uint64(len(prefix))/3))
	run, total := uint64(0), int64(0)
	for i := range count {
		step := r.uv()
		first := r.bytes()
		length := r.uv()
		if r.state != ok {
			return Directory{}, r.need(), r.err("chunk directory")
		}
		if (step == 0) != (i == 0) || step >= uint64(h.Runs)-run {
			return bad("chunk %d: %d runs after run %d of %d", i, step, run, h.Runs)
		}
		run += step
		if length == 0 || length > uint64(size-total) || length > math.MaxUint32 {
			return bad("chunk %d: %d bytes in a payload of %d", i, length, size)
		}
		start := uint32(run * uint64(h.R))
		if i > 0 {
			before := &d.Chunks[i-1]
			if string(before.First) >= string(first) {
				return bad("chunk %d: its first term does not ascend", i)
			}
			before.Terms = start - before.Start
		}
		d.Chunks = append(d.Chunks, ChunkEntry{Start: start, Terms: h.Terms - start, First: first, Off: total, Len: uint32(length)})
		total += int64(length)
	}
	if total > size-int64(r.p) {
		return bad("%d bytes of chunks in a payload of %d", total, size)
	}
	d.Head = h.Chunks + int64(r.p)
	d.End = d.Head + total
	for i := range d.Chunks {
		d.Chunks[i].Off += d.Head
	}
	return d, 0, nil
}

// reader reads container varints from a prefix of something longer.
type reader struct {
	b     []byte
	size  int64 // of the whole, of which b is a prefix
	p     int
	state state
}

type state uint8

const (
	ok    state = iota
	short       // the bytes ended inside a field
	long        // a number over 64 bits, or a length over the whole
)

func newReader(prefix []byte, size int64) reader {
	if int64(len(prefix)) > size {
		prefix = prefix[:max(size, 0)]
	}
	return reader{b: prefix, size: size}
}

// uv reads a varint of at most ten bytes, padded or not. After the first
// failure it returns 0.
func (r *reader) uv() uint64 {
	if r.state != ok {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.p:])
	switch {
	case n > 0:
		r.p += n
		return v
	case n == 0:
		r.state = short
	default:
		r.state = long
	}
	return 0
}

// bytes reads a length and as many bytes; the result is a view.
func (r *reader) bytes() []byte {
	n := r.uv()
	switch {
	case r.state != ok:
	case n > uint64(r.size-int64(r.p)):
		r.state = long
	case n > uint64(len(r.b)-r.p):
		r.state = short
	default:
		v := r.b[r.p : r.p+int(n) : r.p+int(n)]
		r.p += int(n)
		return v
	}
	return nil
}

// need is the prefix to ask for after a failure; 0 if more bytes do not help.
func (r *reader) need() int64 {
	if r.state != short || int64(len(r.b)) == r.size {
		return 0
	}
	return min(r.size, max(minGrow, 2*int64(len(r.b))))
}

// err is the error of a failure that more bytes do not mend, else nil.
func (r *reader) err(what string) error {
	switch {
	case r.state == long:
		return damage.New(what, "a number or a length is too large")
	case r.state == short && int64(len(r.b)) == r.size:
		return damage.New(what, "cut short after %d bytes", len(r.b))
	}
	return nil
}
