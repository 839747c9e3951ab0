package rowset

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/internal/cancel"
)

// Numbering gives the ids that were added the numbers from 0 on, in their order. It
// keeps a bit for each id of a block of 64 neighbours, in a table of blocks.
type Numbering struct {
	blocks []numbered // open addressing; a power of two
	shift  uint8      // 64 less the bits of a block's place
	used   int
	total  int
	sorted []id // the keys of the blocks, ascending, once they are numbered
}

// Len returns how many ids are numbered.
func (n *Numbering) Len() int { return n.total }

// Blocks returns how many blocks the ids are in.
func (n *Numbering) Blocks() int { return n.used }

// Reset forgets the ids and keeps the memory.
func (n *Numbering) Reset() {
	clear(n.blocks)
	n.used, n.total, n.sorted = 0, 0, n.sorted[:0]
}

// numbered is the ids of a block.
type numbered struct {
	key   id // id/64 + 1; 0: free
	bits  uint64
	first uint32 // number of the first one
}

const (
	numberedBytes = 24
	leastBlocks   = 1 << 8
)

// Room returns the bytes of the table when more ids may be added.
func (n *Numbering) Room(ids int) int64 {
	if size := n.size(ids); size > len(n.blocks) {
		return int64(len(n.blocks)+size) * numberedBytes // the old one is there until it is copied
	}
	return n.Bytes()
}

// size returns the places that the table needs for more blocks.
func (n *Numbering) size(more int) int {
	size := max(leastBlocks, len(n.blocks))
	for size < 2*(n.used+more) {
		size *= 2
	}
	return size
}

// Bytes returns the memory of the table and of the keys.
func (n *Numbering) Bytes() int64 {
	return int64(len(n.blocks))*numberedBytes + int64(cap(n.sorted))*8
}

// Reserve makes room for the given number of ids.
func (n *Numbering) Reserve(ctx context.Context, ids int) error {
	size := n.size(ids)
	if size == len(n.blocks) {
		return nil
	}
	old := n.blocks
	n.blocks, n.shift = make([]numbered, size), uint8(64-bits.TrailingZeros(uint(size)))
	return cancel.Blocks(ctx, len(old), func(from, to int) {
		for _, b := range old[from:to] {
			if b.key != 0 {
				*n.place(b.key) = b
			}
		}
	})
}

// place returns where the block with a key is, or where it belongs.
func (n *Numbering) place(key id) *numbered {
	mask := uint64(len(n.blocks) - 1)
	for at := Hash1(key) >> n.shift; ; at = (at + 1) & mask {
		if b := &n.blocks[at]; b.key == key || b.key == 0 {
			return b
		}
	}
}

// Add adds the ids of a column but 0. There is room for them.
func (n *Numbering) Add(column []id) {
	var b *numbered
	var last id
	for _, i := range column {
		if i == 0 {
			continue
		}
		if key := i>>6 + 1; key != last {
			if b, last = n.place(key), key; b.key == 0 {
				b.key = key
				n.used++
			}
		}
		b.bits |= 1 << (i & 63)
	}
}

// End numbers the ids. None are added any more.
func (n *Numbering) End(ctx context.Context) error {
	if cap(n.sorted) < n.used {
		n.sorted = make([]id, 0, n.used)
	}
	err := cancel.Blocks(ctx, len(n.blocks), func(from, to int) {
		for _, b := range n.blocks[from:to] {
			if b.key != 0 {
				n.sorted = append(n.sorted, b.key)
			}
		}
	})
	if err == nil {
		err = cancel.Ordered(ctx, n.sorted)
	}
	if err != nil {
		return err
	}
	return cancel.Blocks(ctx, len(n.sorted), func(from, to int) {
		for _, key := range n.sorted[from:to] {
			b := n.place(key)
			b.first = uint32(n.total)
			n.total += bits.OnesCount64(b.bits)
		}
	})
}

// Numbers sets dst to the numbers of ids plus 1; to 0 for the id 0. All were added.
func (n *Numbering) Numbers(dst []uint32, column []id) {
	var b *numbered
	var last id
	for r, i := range column {
		if i == 0 {
			dst[r] = 0
			continue
		}
		if key := i>>6 + 1; key != last {
			b, last = n.place(key), key
		}
		dst[r] = b.first + uint32(bits.OnesCount64(b.bits&(1<<(i&63)-1))) + 1
	}
}

// List appends ids in their order to dst, from those of a block on, until there are
// most of them or more, and returns the block behind these.
func (n *Numbering) List(dst []id, block, most int) ([]id, int) {
	for ; block < len(n.sorted) && len(dst) < most; block++ {
		key := n.sorted[block]
		for left := n.place(key).bits; left != 0; left &= left - 1 {
			dst = append(dst, (key-1)<<6|id(bits.TrailingZeros64(left)))
		}
	}
	return dst, block
}

// Has reports whether an id but 0 was added. There is room for some.
func (n *Numbering) Has(i id) bool { return n.place(i>>6+1).bits>>(i&63)&1 != 0 && i != 0 }
