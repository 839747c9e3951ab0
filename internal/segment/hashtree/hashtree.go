// Package hashtree proves ranges of a file of which only the hash of all is pinned, by the
// tree of BLAKE3 over it: the outboard encoding of Bao with groups of 16 chunks, as
// docs/remote.md describes it.
//
// The tree is as little trusted as the file. Its root must be what the pin says, and the last
// group of the content must hang on that root: then the length is right too. Whatever is read
// after that is compared with the hashes on its path to the root.
package hashtree

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"

	"lukechampine.com/blake3/bao"
	"lukechampine.com/blake3/guts"
)

// chunks is the binary logarithm of the chunks of a group.
const chunks = 4

// Group is how many bytes of content are proven together.
const Group = guts.ChunkSize << chunks

// The tree begins with the length of the content. Then come pairs of hashes, those of a node's
// halves, each node followed by all of its left half and then of its right one.
const (
	lengthBytes = 8
	pairBytes   = 64
)

// pairs returns the number of nodes above n bytes of content.
func pairs(n int64) int64 { return max((n+Group-1)/Group-1, 0) }

// Size returns the length of the tree of n bytes of content.
func Size(n int64) int64 { return lengthBytes + pairBytes*pairs(n) }

// left returns how many of n bytes, more than a group, are in the left half of their node.
func left(n int64) int64 { return 1 << (bits.Len64(uint64(n)-1) - 1) }

// Make reads n bytes of content and returns their tree and their hash. What it allocates grows
// with what it reads.
func Make(content io.Reader, n int64) (tree []byte, root [32]byte, err error) {
	var out growing
	root, err = bao.Encode(&out, content, n, chunks, true)
	return out.b, root, err
}

// growing is bytes that are written in any order.
type growing struct{ b []byte }

// WriteAt implements [io.WriterAt].
func (g *growing) WriteAt(p []byte, off int64) (int, error) {
	if end := int(off) + len(p); end > len(g.b) {
		g.b = append(g.b, make([]byte, end-len(g.b))...)
	}
	return copy(g.b[off:], p), nil
}

// rootOf returns the hash of a content of several groups by the pair at the top of its tree.
func rootOf(pair []byte) (root [32]byte) {
	var half [2][8]uint32
	for i := range 16 {
		half[i/8][i%8] = binary.LittleEndian.Uint32(pair[4*i:])
	}
	cv := guts.ChainingValue(guts.ParentNode(half[0], half[1], &guts.IV, guts.FlagRoot))
	for i, w := range cv {
		binary.LittleEndian.PutUint32(root[4*i:], w)
	}
	return root
}

// stretch is bytes of a content, from the beginning of a group to the end of one.
type stretch struct{ from, to int64 }

// path calls pair with the offsets in the tree of the nodes above a stretch, and leaf with the
// groups in it, in the order of a slice of Bao.
func (s stretch) path(size int64, pair func(off int64), leaf func(from, to int64)) {
	var walk func(pos, n, off int64)
	walk = func(pos, n, off int64) {
		switch {
		case pos >= s.to || pos+n <= s.from:
		case n <= Group:
			leaf(pos, pos+n)
		default:
			pair(off)
			half := left(n)
			walk(pos, half, off+pairBytes)
			walk(pos+half, n-half, off+pairBytes*(1+pairs(half)))
		}
	}
	walk(0, size, lengthBytes)
}

// holds reports whether the bytes of a stretch are those of the content of that size and hash.
// pair returns the pair at an offset of the tree.
func (s stretch) holds(b []byte, size int64, root [32]byte, pair func(off int64) []byte) bool {
	slice := binary.LittleEndian.AppendUint64(make([]byte, 0, len(b)+1024), uint64(size))
	s.path(size,
		func(off int64) { slice = append(slice, pair(off)...) },
		func(from, to int64) { slice = append(slice, b[from-s.from:to-s.from]...) })
	ok, err := bao.DecodeSlice(io.Discard, bytes.NewReader(slice), chunks, uint64(s.from), uint64(s.to-s.from), root)
	return ok && err == nil
}
