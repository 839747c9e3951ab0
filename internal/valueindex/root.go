package valueindex

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/valuekey"
)

// version is that of the root and of the pages.
const version = 1

// Page is a page as the root describes it.
type Page struct {
	First   valuekey.Key // of its first entry
	Entries int
	Off     uint64 // in the section of pages
	Len     uint32 // as stored
	RawLen  uint32
	XX      uint64   // xxhash64 of the stored bytes
	B3      [16]byte // first half of their BLAKE3
}

// Root lists the pages of an index by class.
type Root struct {
	Entries [valuekey.Classes]uint64
	Pages   [valuekey.Classes][]Page
}

// pageRecord is the least size of a page in a root, mostRecord the largest.
const (
	pageRecord = 8 + 1 + 1 + 8 + 16
	mostRecord = 8 + 5 + 5 + 8 + 16
)

// MaxRoot is the most bytes of the root of an index of n literals.
func MaxRoot(n uint64) uint64 {
	const classes = uint64(valuekey.Classes)
	return 2 + classes*binary.MaxVarintLen64 + (n/PageEntries+classes)*mostRecord
}

// Append appends the bytes of the root.
func (r *Root) Append(dst []byte) []byte {
	dst = append(dst, version, valuekey.Classes)
	for _, n := range r.Entries {
		dst = binary.AppendUvarint(dst, n)
	}
	for _, pages := range r.Pages {
		for _, p := range pages {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(p.First))
			dst = binary.AppendUvarint(dst, uint64(p.Len))
			dst = binary.AppendUvarint(dst, uint64(p.RawLen))
			dst = binary.LittleEndian.AppendUint64(dst, p.XX)
			dst = append(dst, p.B3[:]...)
		}
	}
	return dst
}

// ParseRoot reads a root whose pages have size bytes together. It returns nil for a
// version that it does not know.
func ParseRoot(b []byte, size uint64) (*Root, error) {
	bad := func(format string, args ...any) (*Root, error) {
		return nil, damage.New("root of the value index", format, args...)
	}
	if len(b) < 2 {
		return bad("%d bytes", len(b))
	}
	if b[0] != version {
		return nil, nil
	}
	if b[1] != valuekey.Classes {
		return bad("%d classes, this version has %d", b[1], valuekey.Classes)
	}
	b = b[2:]
	number := func(most uint64) (uint64, bool) {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > most {
			return 0, false
		}
		b = b[k:]
		return n, true
	}
	r := new(Root)
	for c := range r.Entries {
		var ok bool
		if r.Entries[c], ok = number(math.MaxUint32); !ok {
			return bad("no number of entries of class %d", c)
		}
	}
	off := uint64(0)
	for c, left := range r.Entries {
		if need := (left + PageEntries - 1) / PageEntries; need > uint64(len(b))/pageRecord {
			return bad("%d bytes for %d pages", len(b), need)
		}
		last := valuekey.Key(valuekey.NaN)
		for left > 0 {
			if len(b) < pageRecord {
				return bad("it ends inside a page")
			}
			p := Page{First: valuekey.Key(binary.LittleEndian.Uint64(b)), Entries: int(min(left, PageEntries)), Off: off}
			b = b[8:]
			n, ok1 := number(math.MaxUint32)
			raw, ok2 := number(PageEntries*binary.MaxVarintLen64 + PageEntries/Block*8)
			if !ok1 || !ok2 || len(b) < 8+16 {
				return bad("no lengths of a page")
			}
			if p.First < last {
				return bad("pages do not ascend")
			}
			p.Len, p.RawLen, p.XX, p.B3 = uint32(n), uint32(raw), binary.LittleEndian.Uint64(b), [16]byte(b[8:])
			b = b[8+16:]
			off, left, last = off+n, left-uint64(p.Entries), p.First
			r.Pages[c] = append(r.Pages[c], p)
		}
	}
	if len(b) > 0 || off != size {
		return bad("%d bytes too many, pages of %d bytes where there are %d", len(b), off, size)
	}
	return r, nil
}

// Find returns the numbers of the pages of a class that may hold keys from lo to hi.
func (r *Root) Find(i valuekey.Interval) (from, to int) {
	pages := r.Pages[i.Class]
	return span(len(pages), func(k int) valuekey.Key { return pages[k].First }, i.Lo, i.Hi)
}
