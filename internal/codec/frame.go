package codec

import (
	"encoding/binary"

	"github.com/rete-go/rete/internal/damage"
)

const (
	frameMagic   = 0xfd2fb528 // RFC 8878, 3.1.1
	maxBlockSize = 128 << 10  // RFC 8878, 3.1.1.2.4
)

// frameBound walks the headers of the one frame that src must be and returns
// the largest content that it can have: the declared size (exact), else what
// its blocks can hold. A skippable frame, a dictionary, a second frame and
// trailing bytes are errors. It allocates nothing and takes a few nanoseconds a
// block.
func frameBound(src []byte) (most uint64, exact bool, err error) {
	bad := func(detail string) (uint64, bool, error) {
		return 0, false, damage.New("zstd frame", "%s", detail)
	}
	if len(src) < 6 || binary.LittleEndian.Uint32(src) != frameMagic {
		return bad("does not begin with a zstd frame header")
	}
	descriptor := src[4]
	single := descriptor&0x20 != 0
	p := 5
	blockMax := uint64(maxBlockSize)
	if !single {
		exponent, mantissa := src[p]>>3, uint64(src[p]&7)
		base := uint64(1) << (10 + exponent)
		blockMax = min(blockMax, base+base/8*mantissa)
		p++
	}
	dictLen := [4]int{0, 1, 2, 4}[descriptor&3]
	sizeLen := [4]int{0, 2, 4, 8}[descriptor>>6]
	if single && sizeLen == 0 {
		sizeLen = 1
	}
	if len(src)-p < dictLen+sizeLen {
		return bad("ends inside its header")
	}
	for _, b := range src[p : p+dictLen] {
		if b != 0 {
			return bad("needs a dictionary")
		}
	}
	p += dictLen
	declared := uint64(0)
	for i, b := range src[p : p+sizeLen] {
		declared |= uint64(b) << (8 * i)
	}
	if sizeLen == 2 {
		declared += 256
	}
	p += sizeLen

	for last := false; !last; {
		if len(src)-p < 3 {
			return bad("ends inside a block header")
		}
		h := uint64(src[p]) | uint64(src[p+1])<<8 | uint64(src[p+2])<<16
		p += 3
		last = h&1 != 0
		size := h >> 3
		stored := size
		switch h >> 1 & 3 {
		case 0: // raw
			most += size
		case 1: // one byte, repeated
			most += size
			stored = 1
		case 2: // compressed
			most += blockMax
		default:
			return bad("has a block of a reserved type")
		}
		if size > maxBlockSize {
			return bad("has a block over 128 KiB")
		}
		if uint64(len(src)-p) < stored {
			return bad("ends inside a block")
		}
		p += int(stored)
	}
	if descriptor&4 != 0 { // checksum
		if len(src)-p < 4 {
			return bad("ends inside its checksum")
		}
		p += 4
	}
	if p != len(src) {
		return bad("is followed by other bytes")
	}
	if sizeLen > 0 {
		if declared > most {
			return bad("declares more bytes than its blocks can hold")
		}
		return declared, true, nil
	}
	return most, false, nil
}
