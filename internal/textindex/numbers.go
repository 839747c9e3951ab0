package textindex

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// numbers gives tokens their numbers, by arrival. On long texts that is most of the work, so that what is
// known of a short token is found in one place, by a key that is its bytes, and the places are few bytes.
type numbers struct {
	seed  maphash.Seed
	mixed uint64 // seed of the places of keys
	slots []slot // a power of two, half of it free
	names []string
	text  int64 // bytes of the names
}

// slot is one token; number 0 is a free slot.
type slot struct {
	key    uint64
	number uint32 // plus 1
	last   uint32 // literal that had it
}

const (
	// leastSlots is how many slots there are for the first tokens.
	leastSlots = 1 << 10
	// shortToken is the length of the longest short token.
	shortToken = 8
	// longKey marks the keys of longer tokens, which are hashes: no short token ends with such a byte.
	longKey = 0xff << 56
)

func newNumbers() numbers {
	seed := maphash.MakeSeed()
	return numbers{seed: seed, mixed: maphash.String(seed, ""), slots: make([]slot, leastSlots)}
}

// keyOf returns the key of a short token: its bytes, after zeros, which no token has.
func keyOf(token []byte) (key uint64, short bool) {
	if len(token) > shortToken {
		return 0, false
	}
	if cap(token) >= shortToken {
		return binary.LittleEndian.Uint64(token[:shortToken]) << (8 * (shortToken - len(token))), true
	}
	for i, c := range token {
		key |= uint64(c) << (8 * (shortToken - len(token) + i))
	}
	return key, true
}

// place is where the search for a key begins.
func (t *numbers) place(key uint64) uint64 {
	high, low := bits.Mul64(key^t.mixed, 0x9e3779b97f4a7c15)
	return high ^ low
}

// short returns the number of a short token, by its key, and whether it is new in a literal.
func (t *numbers) short(key uint64, literal uint32) (number uint32, fresh bool) {
	mask := uint64(len(t.slots) - 1)
	for at := t.place(key) & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.key == key {
			fresh, s.last = s.last != literal, literal
			return s.number - 1, fresh
		}
		if s.number == 0 {
			token := binary.LittleEndian.AppendUint64(nil, key)
			return t.take(s, key, bytes.TrimLeft(token, "\x00"), literal), true
		}
	}
}

// long is [numbers.short] for a longer token.
func (t *numbers) long(token []byte, literal uint32) (number uint32, fresh bool) {
	key := maphash.Bytes(t.seed, token) | longKey
	mask := uint64(len(t.slots) - 1)
	for at := t.place(key) & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.number == 0 {
			return t.take(s, key, token, literal), true
		}
		if s.key == key && t.names[s.number-1] == string(token) {
			fresh, s.last = s.last != literal, literal
			return s.number - 1, fresh
		}
	}
}

// take gives a token a free slot, and its number.
func (t *numbers) take(s *slot, key uint64, token []byte, literal uint32) uint32 {
	t.names = append(t.names, string(token))
	t.text += int64(len(token))
	n := uint32(len(t.names))
	*s = slot{key, n, literal}
	if 2*len(t.names) > len(t.slots) {
		t.grow()
	}
	return n - 1
}

// grow doubles the slots.
func (t *numbers) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		at := t.place(s.key) & mask
		for t.slots[at].number != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

// clear takes all tokens out.
func (t *numbers) clear() {
	clear(t.slots)
	clear(t.names)
	t.names, t.text = t.names[:0], 0
}

// unsee takes out which literals had the tokens.
func (t *numbers) unsee() {
	for i := range t.slots {
		t.slots[i].last = 0
	}
}
