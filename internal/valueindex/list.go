// Package valueindex is the layout of the value index of a segment: for each class
// of literals that have a value ([valuekey.Class]) their ids in the order of their
// keys. docs/value-index.md describes the bytes.
//
// Only every 64th key is kept, because the term of an id gives the others: an
// interval of keys is found to whole blocks of ids, and the caller compares.
package valueindex

import (
	"encoding/binary"
	"sort"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/valuekey"
)

const (
	// Block is how many ids share a key.
	Block = 64
	// PageEntries is how many ids a page has; the last page of a class has fewer.
	PageEntries = 4096
)

// Entry is one literal.
type Entry struct {
	Class valuekey.Class
	ID    uint32 // in the section of terms that are only objects, from 1
	Key   valuekey.Key
}

// compare orders entries as the index has them.
func compare(a, b Entry) int {
	switch {
	case a.Class != b.Class:
		return int(a.Class) - int(b.Class)
	case a.Key != b.Key:
		if a.Key < b.Key {
			return -1
		}
		return 1
	case a.ID != b.ID:
		if a.ID < b.ID {
			return -1
		}
		return 1
	}
	return 0
}

// List is a stretch of the ids of one class.
type List struct {
	Keys []valuekey.Key // of each block's first id
	IDs  []uint32
}

// add adds the next id.
func (l *List) add(k valuekey.Key, id uint32) {
	if len(l.IDs)%Block == 0 {
		l.Keys = append(l.Keys, k)
	}
	l.IDs = append(l.IDs, id)
}

// Find returns the places of a stretch of ids, whole blocks but for the end of the
// list, that has every id with a key from lo to hi.
func (l *List) Find(lo, hi valuekey.Key) (from, to int) {
	from, to = span(len(l.Keys), func(i int) valuekey.Key { return l.Keys[i] }, lo, hi)
	return min(from*Block, len(l.IDs)), min(to*Block, len(l.IDs))
}

// Bytes returns what the list takes in memory.
func (l *List) Bytes() int64 { return int64(8*cap(l.Keys) + 4*cap(l.IDs) + 64) }

// span finds, among n stretches with ascending first keys, those that may hold a key
// from lo to hi: from included, to excluded.
func span(n int, first func(int) valuekey.Key, lo, hi valuekey.Key) (from, to int) {
	if lo > hi {
		return 0, 0
	}
	// A stretch may begin below lo and go on with it.
	from = max(sort.Search(n, func(i int) bool { return first(i) >= lo })-1, 0)
	return from, max(sort.Search(n, func(i int) bool { return first(i) > hi }), from)
}

// appendPage appends a list as the bytes of a page.
func (l *List) appendPage(dst []byte) []byte {
	for _, k := range l.Keys[1:] {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(k))
	}
	last := uint32(0)
	for _, id := range l.IDs {
		dst = binary.AppendVarint(dst, int64(id)-int64(last))
		last = id
	}
	return dst
}

// ParsePage returns the list of a page with n entries, of which the first has key
// first. No id is above most.
func ParsePage(b []byte, n int, first valuekey.Key, most uint32) (*List, error) {
	blocks := (n + Block - 1) / Block
	if n < 1 || n > PageEntries || len(b) < 8*(blocks-1)+n {
		return nil, damage.New("page of the value index", "%d bytes for %d entries", len(b), n)
	}
	l := &List{Keys: make([]valuekey.Key, 1, blocks), IDs: make([]uint32, 0, n)}
	l.Keys[0] = first
	for range blocks - 1 {
		k := valuekey.Key(binary.LittleEndian.Uint64(b))
		if k < l.Keys[len(l.Keys)-1] {
			return nil, damage.New("page of the value index", "keys do not ascend")
		}
		l.Keys = append(l.Keys, k)
		b = b[8:]
	}
	last := int64(0)
	for range n {
		d, size := binary.Varint(b)
		if size <= 0 {
			return nil, damage.New("page of the value index", "it ends inside an id")
		}
		if d < -1<<32 || d > 1<<32 || last+d < 1 || last+d > int64(most) {
			return nil, damage.New("page of the value index", "an id beyond the %d terms of the section", most)
		}
		last += d
		l.IDs = append(l.IDs, uint32(last))
		b = b[size:]
	}
	if len(b) > 0 {
		return nil, damage.New("page of the value index", "%d bytes too many", len(b))
	}
	return l, nil
}
