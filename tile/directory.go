package tile

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
)

// Entry is what a payload's directory and synopsis say of one tile. All bounds
// are inclusive.
type Entry struct {
	MinA, MaxA  uint32
	MinB, MaxB  uint32 // with HasSynopsis only, like the next two
	MinC, MaxC  uint32
	HasSynopsis bool
	Off         int64  // of the stored tile, in the payload
	Len         uint32 // stored length
	RawLen      uint32 // raw length, 0 if unknown: directories do not hold it
	Rows        uint32 // number of rows, 0 if unknown
}

func (z zone) entry() Entry {
	return Entry{MinA: z.minA, MaxA: z.maxA, MinB: z.minB, MaxB: z.maxB, MinC: z.minC, MaxC: z.maxC}
}

// Check compares what the directory says with the decoded tile. A difference is
// damage: a wrong bound makes readers skip rows.
func (e *Entry) Check(t *Tile) error {
	z := t.zone()
	got := z.entry()
	got.HasSynopsis, got.Off, got.Len, got.RawLen, got.Rows = e.HasSynopsis, e.Off, e.Len, e.RawLen, e.Rows
	if !e.HasSynopsis {
		got.MinB, got.MaxB, got.MinC, got.MaxC = e.MinB, e.MaxB, e.MinC, e.MaxC
	}
	if got != *e {
		return damage.New("tile directory", "the bounds %v do not match the rows, %v", *e, z)
	}
	if e.Rows != 0 && int(e.Rows) != len(t.C) {
		return damage.New("tile directory", "%d rows where the directory says %d", len(t.C), e.Rows)
	}
	return nil
}

// Directory is the parsed head of a payload.
type Directory struct {
	Entries []Entry
	Tiles   int64 // where the first tile begins, in the payload
	End     int64 // where the last tile ends and the synopsis begins
}

// minGrow is the least prefix that [ParseDirectory] asks for.
const minGrow = 4096

// ParseDirectory parses the directory in the first bytes of a payload that is
// size bytes long as a whole. If prefix is too short, need is the length to try
// next, larger than len(prefix) and at most size, and there is no error; a
// ranged reader fetches that much and calls again. Bounds of b and c are absent
// until [Directory.ParseSynopsis].
//
// Memory is bounded by the bytes in prefix, not by the count that they state.
// Errors match engine.ErrDamaged.
func ParseDirectory(prefix []byte, size int64) (d Directory, need int64, err error) {
	if int64(len(prefix)) > size {
		prefix = prefix[:size]
	}
	r := reader{b: prefix, whole: int64(len(prefix)) == size}
	count := r.uv()
	if r.state != ok {
		return Directory{}, r.need(size), r.err("tile count")
	}
	if count > uint64(size)/3 {
		return Directory{}, 0, damage.New("tile directory", "%d tiles do not fit %d bytes", count, size)
	}
	entries := make([]Entry, 0, min(count, uint64(len(prefix))/3))
	var minA, maxA uint64
	var total int64
	for range count {
		step, span, length := r.uv(), r.uv(), r.uv()
		if r.state != ok {
			return Directory{}, r.need(size), r.err("tile directory")
		}
		if step > math.MaxUint32 || span > math.MaxUint32 || minA+step+span > math.MaxUint32 {
			return Directory{}, 0, damage.New("tile directory", "tile %d: first ids overflow 32 bits", len(entries))
		}
		minA += step
		if minA == 0 || minA+span < maxA {
			return Directory{}, 0, damage.New("tile directory", "tile %d: ids %d to %d after %d", len(entries), minA, minA+span, maxA)
		}
		maxA = minA + span
		if length == 0 || length > uint64(size-total) || length > math.MaxUint32 {
			return Directory{}, 0, damage.New("tile directory", "tile %d: %d bytes in a payload of %d", len(entries), length, size)
		}
		entries = append(entries, Entry{MinA: uint32(minA), MaxA: uint32(maxA), Off: total, Len: uint32(length)})
		total += int64(length)
	}
	head := int64(r.p)
	if total > size-head {
		return Directory{}, 0, damage.New("tile directory", "%d bytes of tiles in a payload of %d", total, size)
	}
	for i := range entries {
		entries[i].Off += head
	}
	return Directory{Entries: entries, Tiles: head, End: head + total}, 0, nil
}

// ParseSynopsis fills in the bounds of b and c from trailer, the bytes from
// d.End to the end of the payload. A short, long or malformed trailer is not an
// error: it reports false and the entries stay without these bounds.
func (d *Directory) ParseSynopsis(trailer []byte) bool {
	r := reader{b: trailer, whole: true}
	for pass := range 2 { // first look, then write
		r.p = 0
		for i := range d.Entries {
			minB, spanB, minC, spanC := r.uv(), r.uv(), r.uv(), r.uv()
			if r.state != ok || max(minB, spanB, minC, spanC) > math.MaxUint32 ||
				minB+spanB > math.MaxUint32 || minC+spanC > math.MaxUint32 {
				return false
			}
			if pass == 1 {
				e := &d.Entries[i]
				e.MinB, e.MaxB, e.MinC, e.MaxC = uint32(minB), uint32(minB+spanB), uint32(minC), uint32(minC+spanC)
				e.HasSynopsis = true
			}
		}
		if r.p != len(trailer) {
			return false
		}
	}
	return true
}

// ReadDirectory parses the directory of a payload that is in memory as a whole,
// with its synopsis if the file says that there is one. Without a synopsis,
// bytes after the last tile are ignored, as every reader of the format does.
func ReadDirectory(payload []byte, synopsis bool) ([]Entry, error) {
	d, _, err := ParseDirectory(payload, int64(len(payload)))
	if err != nil {
		return nil, err
	}
	if synopsis {
		d.ParseSynopsis(payload[d.End:])
	}
	return d.Entries, nil
}

// AppendDirectory appends the directory of the given tiles.
func AppendDirectory(dst []byte, entries []Entry) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(entries)))
	prev := uint32(0)
	for i := range entries {
		e := &entries[i]
		dst = appendUV(dst, e.MinA-prev)
		dst = appendUV(dst, e.MaxA-e.MinA)
		dst = appendUV(dst, e.Len)
		prev = e.MinA
	}
	return dst
}

// AppendSynopsis appends the synopsis of the given tiles.
func AppendSynopsis(dst []byte, entries []Entry) []byte {
	for i := range entries {
		e := &entries[i]
		dst = appendUV(dst, e.MinB)
		dst = appendUV(dst, e.MaxB-e.MinB)
		dst = appendUV(dst, e.MinC)
		dst = appendUV(dst, e.MaxC-e.MinC)
	}
	return dst
}

// reader reads container varints from a prefix of something longer.
type reader struct {
	b     []byte
	p     int
	whole bool // b is all there is
	state state
}

type state uint8

const (
	ok    state = iota
	short       // the bytes ended inside a number
	long        // a number over 64 bits
)

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
	case n == 0 && len(r.b)-r.p < binary.MaxVarintLen64:
		r.state = short
	default:
		r.state = long
	}
	return 0
}

// need is the prefix to ask for after a failure; 0 if more bytes do not help.
func (r *reader) need(size int64) int64 {
	if r.state != short || r.whole {
		return 0
	}
	return min(size, max(minGrow, 2*int64(len(r.b))))
}

// err is the error of a failure that more bytes do not mend, else nil.
func (r *reader) err(what string) error {
	switch {
	case r.state == long:
		return damage.New(what, "a number of more than 64 bits")
	case r.state == short && r.whole:
		return damage.New(what, "cut short after %d bytes", len(r.b))
	}
	return nil
}
