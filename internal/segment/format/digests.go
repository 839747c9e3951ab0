package format

import (
	"encoding/binary"

	"github.com/rete-go/rete/internal/damage"
	"lukechampine.com/blake3"
)

// canonicalMark is the content of the section of that kind: a version and one
// byte of flags.
const (
	CanonicalVersion = 1
	CanonicalTerms   = 1 << 0 // every term is spelled canonically
)

// DigestRecord is one record of the digest list: kind, length, BLAKE3.
const DigestRecord = 2 + 8 + 32

// AppendRecord appends a record of the digest list without its digest.
func AppendRecord(dst []byte, k Kind, length uint64) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(k))
	return binary.LittleEndian.AppendUint64(dst, length)
}

// ExtraOf computes extra_blake3_16 from the header and the digest list.
func ExtraOf(rawHead, list []byte) (extra [16]byte) {
	h := blake3.New(32, nil)
	h.Write(rawHead)
	h.Write(list)
	copy(extra[:], h.Sum(nil))
	return extra
}

// ParseDigests reads the digest list and compares it with the directory: it
// lists every section outside the content hash but itself, in directory order.
func ParseDigests(b []byte, h *Header) (map[Kind][32]byte, error) {
	bad := func(format string, args ...any) (map[Kind][32]byte, error) {
		return nil, damage.New("digest list", format, args...)
	}
	if len(b)%DigestRecord != 0 {
		return bad("%d bytes are no whole records", len(b))
	}
	digests := make(map[Kind][32]byte)
	for _, r := range h.Sections {
		if IsHashed(r.Kind) || r.Kind == KindDigests || r.Length == 0 {
			continue
		}
		if len(b) == 0 {
			return bad("it does not list %v", r.Kind)
		}
		k, n := Kind(binary.LittleEndian.Uint16(b)), binary.LittleEndian.Uint64(b[2:])
		if k != r.Kind || n != r.Length {
			return bad("it lists %v with %d bytes where the header has %v with %d", k, n, r.Kind, r.Length)
		}
		if _, twice := digests[k]; twice {
			return bad("it lists %v twice", k)
		}
		digests[k] = [32]byte(b[10:DigestRecord])
		b = b[DigestRecord:]
	}
	if len(b) > 0 {
		return bad("%d records too many", len(b)/DigestRecord)
	}
	return digests, nil
}
