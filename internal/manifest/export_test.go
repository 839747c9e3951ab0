package manifest

import (
	"bytes"
	"encoding/hex"
)

// SecondFile returns another handle of a manifest, as another process has it.
func SecondFile(f *File) *File { return newFile(f.mux, f.place, f.name) }

// SelfPlace returns where the digits of a manifest's self are; ok is false without a
// valid one.
func SelfPlace(src []byte) (digits int, ok bool) {
	r := &reader{src: src, m: new(Manifest)}
	err := parseJSON(src, r.read)
	return r.self.digits, err == nil && r.self.valid
}

// Sign gives a manifest that has a valid self the digest of its bytes.
func Sign(src []byte) []byte {
	at, ok := SelfPlace(src)
	if !ok {
		panic("no valid self in " + string(src))
	}
	out := bytes.Clone(src)
	digest := selfDigest(src, at)
	hex.Encode(out[at:], digest[:])
	return out
}

// SelfHolds reports whether a manifest was read with a self that holds.
func SelfHolds(m *Manifest) bool { return m.self == selfHolds }

// SelfKept reports whether a manifest was read with a self that another program has kept.
func SelfKept(m *Manifest) bool { return m.self == selfKept }
