package manifest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"

	"lukechampine.com/blake3"
)

// The self of a manifest is "G-HEX": the generation that it was made for, and the first
// 16 bytes of BLAKE3 over the file with these digits as zeros, in lower-case hex. So a
// change anywhere in the file shows. A program that does not know it may write the next
// generation and keep it: then the digest does not hold, and the file has neither its
// generation nor its commit any more. Everything else that does not hold is an error.

// selfDigits is the length of HEX.
const selfDigits = 32

// selfState is what the self of a manifest says about it.
type selfState uint8

const (
	selfAbsent selfState = iota // there is none
	selfHolds
	selfKept // a program that does not know it wrote the file and kept it: as good as none
)

func selfText(generation int64, digest [16]byte) string {
	return fmt.Sprintf("%d-%x", generation, digest)
}

// selfDigest is the digest of a manifest whose self has its digits at a place.
func selfDigest(src []byte, digits int) [16]byte {
	h := blake3.New(32, nil)
	h.Write(src[:digits])
	h.Write(bytes.Repeat([]byte{'0'}, selfDigits))
	h.Write(src[digits+selfDigits:])
	return [16]byte(h.Sum(nil))
}

// selfPlace is the value of the root's self, and its place in the bytes that were read.
type selfPlace struct {
	found, valid bool
	value        int   // offset of its first byte
	digits       int   // offset of HEX
	generation   int64 // 0 if it is not valid
	digest       [16]byte
}

// readSelf reads a value of any kind: an invalid one is judged as one that does not hold.
func (r *reader) readSelf() selfPlace {
	p := selfPlace{found: true, value: r.At()}
	raw := r.Any()
	text, ok := bytes.CutPrefix(raw, []byte(`"`))
	if !ok {
		return p
	}
	generation, rest, _ := bytes.Cut(text, []byte("-"))
	number, err := strconv.ParseUint(string(generation), 10, 63)
	if err != nil || len(rest) != selfDigits+len(`"`) {
		return p
	}
	_, err = hex.Decode(p.digest[:], rest[:selfDigits])
	if err != nil || string(raw) != `"`+selfText(int64(number), p.digest)+`"` {
		return p
	}
	p.valid, p.generation, p.digits = true, int64(number), p.value+len(`"`)+len(generation)+len("-")
	return p
}

// judge says what the self is worth, and what shows that the file is not the one that was
// written; nil if nothing does.
func (r *reader) judge() (selfState, *Error) {
	state, problem := r.self.judge(r.src, r.m)
	e := r.unknown
	switch {
	case problem != "":
		e = r.Error(r.self.value, "%s", problem)
		e.Path = "$.self"
	case state == selfHolds || e == nil:
		return state, nil
	}
	changed := errorAt(e)
	changed.changed = true
	return state, changed
}

// judge compares the self with the file.
func (p *selfPlace) judge(src []byte, m *Manifest) (state selfState, problem string) {
	switch {
	case !p.found:
		return selfAbsent, ""
	case !p.valid:
		return selfAbsent, "expected a generation, a dash and 32 lower-case hex digits"
	}
	digest := selfDigest(src, p.digits)
	switch {
	case digest == p.digest && p.generation == m.Generation:
		return selfHolds, ""
	case digest == p.digest:
		return selfAbsent, fmt.Sprintf("it is for generation %d, the manifest has %d", p.generation, m.Generation)
	case p.generation != m.Generation && m.made() != p.generation:
		return selfKept, ""
	}
	return selfAbsent, fmt.Sprintf("the file was changed since it was written: its digest is %x, self says %x", digest, p.digest)
}

// made is the generation that recent gives the manifest's commit, -1 if it gives none.
func (m *Manifest) made() int64 {
	for _, r := range m.Recent {
		if r.ID == m.Commit {
			return r.Generation
		}
	}
	return -1
}

// Self is what the self of a manifest says about it, as it was read: the generation that it
// is for, 0 without a valid one. holds says that the file is as it was written. kept says
// that a program that does not know self has written the file since and kept it.
func (m *Manifest) Self() (generation int64, holds, kept bool) {
	return m.selfFor, m.self == selfHolds, m.self == selfKept
}
