package textindex

import (
	"encoding/binary"
	"hash/maphash"
)

// numbers gives tokens their numbers, by arrival. On long texts that is most of the work, so that what is
// known of a token of eight bytes or less is found in one place.
type numbers struct {
	seed  maphash.Seed
	slots []slot // a power of two, half of it free
	names []string
	text  int64 // bytes of the names
}

// slot is one token; number 0 is a free slot.
type slot struct {
	first  uint64 // bytes of the token, as many as there are
	size   uint32
	number uint32 // plus 1
	last   uint32 // literal that had it
}

// leastSlots is how many slots there are for the first tokens.
const leastSlots = 1 << 10

func newNumbers() numbers {
	return numbers{seed: maphash.MakeSeed(), slots: make([]slot, leastSlots)}
}

// of returns the number of a token, and whether it is new in a literal.
func (t *numbers) of(token []byte, literal uint32) (number uint32, fresh bool) {
	first := firstOf(token)
	s := t.find(first, token)
	if s.number > 0 {
		fresh, s.last = s.last != literal, literal
		return s.number - 1, fresh
	}
	t.names = append(t.names, string(token))
	t.text += int64(len(token))
	n := uint32(len(t.names))
	*s = slot{first, uint32(len(token)), n, literal}
	if 2*len(t.names) > len(t.slots) {
		t.grow()
	}
	return n - 1, true
}

// firstOf returns the first bytes of a token, eight at most.
func firstOf(token []byte) uint64 {
	if len(token) >= 8 {
		return binary.LittleEndian.Uint64(token)
	}
	first := uint64(0)
	for i, c := range token {
		first |= uint64(c) << (8 * i)
	}
	return first
}

// find returns the slot of a token, or the free one that it gets.
func (t *numbers) find(first uint64, token []byte) *slot {
	mask := uint64(len(t.slots) - 1)
	for at := maphash.Bytes(t.seed, token) & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.number == 0 || s.first == first && int(s.size) == len(token) && (len(token) <= 8 || t.names[s.number-1] == string(token)) {
			return s
		}
	}
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
		at := maphash.String(t.seed, t.names[s.number-1]) & mask
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
