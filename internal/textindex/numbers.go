package textindex

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
)

// numbers gives tokens their numbers, by arrival. On long texts that is most of the work, so that what is
// known of a short token is found in one place, by a key that is its bytes, and the places are few bytes.
type numbers struct {
	seed  maphash.Seed
	mixed key    // seeds of the places of keys
	slots []slot // a power of two, half of it free
	text  []byte // the tokens, back to back
	ends  []int  // where each ends in text
}

// key is what a token is found by, see [keyOf].
type key struct{ low, high uint64 }

// slot is one token; number 0 is a free slot.
type slot struct {
	key    key
	number uint32 // plus 1
	last   uint32 // literal that had it
}

const (
	// leastSlots is how many slots there are for the first tokens.
	leastSlots = 1 << 6
	// shortToken is the length of the longest short token.
	shortToken = 16
	// longKey marks the keys of longer tokens, which are hashes: no short token ends with such a byte.
	longKey = 0xff << 56
)

func newNumbers() numbers {
	seed := maphash.MakeSeed()
	mixed := key{maphash.String(seed, "low"), maphash.String(seed, "high")}
	return numbers{seed: seed, mixed: mixed, slots: make([]slot, leastSlots)}
}

// keyOf returns the key of a short token. Its last bytes are at the end of high, after zeros, which no token
// has; of more than eight bytes the first eight are low.
func keyOf(token []byte) (k key, short bool) {
	n := len(token)
	if n > shortToken {
		return k, false
	}
	if cap(token) < shortToken {
		token = slices.Grow(token, shortToken-n)
	}
	first := binary.LittleEndian.Uint64(token[:8])
	if n <= 8 {
		return key{high: first << (8 * (8 - n))}, true
	}
	return key{first, binary.LittleEndian.Uint64(token[8:16]) << (8 * (16 - n))}, true
}

// token returns the token of a key.
func (k key) token() []byte {
	b := binary.LittleEndian.AppendUint64(nil, k.low)
	b = binary.LittleEndian.AppendUint64(b, k.high)
	return slices.DeleteFunc(b, func(c byte) bool { return c == 0 })
}

// place is where the search for a key begins.
func (t *numbers) place(k key) uint64 {
	high, low := bits.Mul64(k.high^t.mixed.high, k.low^t.mixed.low)
	return high ^ low
}

// short returns the number of a short token, by its key, and whether it is new in a literal.
func (t *numbers) short(k key, literal uint32) (number uint32, fresh bool) {
	mask := uint64(len(t.slots) - 1)
	for at := t.place(k) & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.key == k {
			fresh, s.last = s.last != literal, literal
			return s.number - 1, fresh
		}
		if s.number == 0 {
			return t.take(s, k, k.token(), literal), true
		}
	}
}

// long is [numbers.short] for a longer token.
func (t *numbers) long(token []byte, literal uint32) (number uint32, fresh bool) {
	k := key{high: maphash.Bytes(t.seed, token) | longKey}
	mask := uint64(len(t.slots) - 1)
	for at := t.place(k) & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.number == 0 {
			return t.take(s, k, token, literal), true
		}
		if s.key == k && bytes.Equal(t.name(s.number-1), token) {
			fresh, s.last = s.last != literal, literal
			return s.number - 1, fresh
		}
	}
}

// take gives a token a free slot, and its number.
func (t *numbers) take(s *slot, k key, token []byte, literal uint32) uint32 {
	t.text = append(t.text, token...)
	t.ends = append(t.ends, len(t.text))
	n := uint32(len(t.ends))
	*s = slot{k, n, literal}
	if 2*len(t.ends) > len(t.slots) {
		t.grow()
	}
	return n - 1
}

// name returns the token of a number.
func (t *numbers) name(number uint32) []byte {
	begin := 0
	if number > 0 {
		begin = t.ends[number-1]
	}
	return t.text[begin:t.ends[number]]
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

// bytes returns what the tokens take in memory, and what they are sorted in.
func (t *numbers) bytes() int64 {
	const slotBytes, orderBytes = 24, 32
	return int64(len(t.slots))*slotBytes + int64(len(t.ends))*orderBytes + int64(cap(t.text))
}

// unsee takes out which literals had the tokens.
func (t *numbers) unsee() {
	for i := range t.slots {
		t.slots[i].last = 0
	}
}
