package rowset

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/internal/cancel"
)

// Numbering gives the ids that were added the numbers from 0 on, in their order. It
// keeps a bit for each id of a block of 64 neighbours.
type Numbering struct {
	blocks *Set     // their ids/64; nil: none yet
	bits   []uint64 // by the number of the block: the ids that are in
	first  []uint32 // by the number of the block: the number of its first id
	total  int
	sorted []id // the blocks, ascending, once they are numbered
}

// Len returns how many ids are numbered.
func (n *Numbering) Len() int { return n.total }

// Blocks returns how many blocks the ids are in.
func (n *Numbering) Blocks() int { return len(n.bits) }

// Reset drops the ids and keeps the memory.
func (n *Numbering) Reset() {
	if n.blocks != nil {
		n.blocks.Reset()
	}
	n.bits, n.total, n.sorted = n.bits[:0], 0, n.sorted[:0]
}

// Room returns the bytes of the numbering when more ids may be added, with those that it lets go of
// while it grows.
func (n *Numbering) Room(ids int) int64 {
	if n.blocks == nil {
		n.blocks = NewSet(1)
	}
	return n.Bytes() + n.blocks.Growth(ids) + Growth(n.bits, ids, 8)
}

// EndBytes returns the bytes that [Numbering.End] makes new at most.
func (n *Numbering) EndBytes() int64 { return int64(n.Blocks()) * 12 }

// Bytes returns the memory of the numbering.
func (n *Numbering) Bytes() int64 {
	bytes := int64(cap(n.bits)+cap(n.sorted))*8 + int64(cap(n.first))*4
	if n.blocks != nil {
		bytes += n.blocks.Bytes()
	}
	return bytes
}

// Reserve makes room for the given number of ids.
func (n *Numbering) Reserve(ctx context.Context, ids int) error {
	if n.blocks == nil {
		n.blocks = NewSet(1)
	}
	if err := n.blocks.makeSlots(ctx, ids); err != nil {
		return err
	}
	keys, err := ExtendChecking(ctx, n.blocks.Rows.Col[0], ids)
	if err != nil {
		return err
	}
	n.blocks.Rows.Col[0] = keys
	bits, err := ExtendChecking(ctx, n.bits, ids)
	if err == nil {
		n.bits = bits
	}
	return err
}

// Add adds the ids of a column but 0. There is room for them.
func (n *Numbering) Add(column []id) {
	var at int
	last := ^id(0)
	for _, i := range column {
		if i == 0 {
			continue
		}
		if key := i >> 6; key != last {
			var fresh bool
			if at, fresh = n.blocks.Add1(key); fresh {
				n.bits = append(n.bits, 0)
			}
			last = key
		}
		n.bits[at] |= 1 << (i & 63)
	}
}

// End numbers the ids. None are added any more.
func (n *Numbering) End(ctx context.Context) (err error) {
	if n.sorted, err = ExtendChecking(ctx, n.sorted[:0], len(n.bits)); err != nil {
		return err
	}
	if cap(n.first) < len(n.bits) {
		n.first = make([]uint32, len(n.bits))
	}
	n.first, n.sorted = n.first[:len(n.bits)], n.sorted[:len(n.bits)]
	if len(n.bits) == 0 {
		return nil
	}
	if err := cancel.Copy(ctx, n.sorted, n.blocks.Rows.Col[0]); err != nil {
		return err
	}
	if err := cancel.Ordered(ctx, n.sorted); err != nil {
		return err
	}
	return cancel.Blocks(ctx, len(n.sorted), func(from, to int) {
		for _, key := range n.sorted[from:to] {
			at := n.blocks.Find1(key)
			n.first[at] = uint32(n.total)
			n.total += bits.OnesCount64(n.bits[at])
		}
	})
}

// Numbers sets dst to the numbers of ids plus 1; to 0 for the id 0. All were added.
func (n *Numbering) Numbers(dst []uint32, column []id) {
	var at int
	last := ^id(0)
	for r, i := range column {
		if i == 0 {
			dst[r] = 0
			continue
		}
		if key := i >> 6; key != last {
			at, last = n.blocks.Find1(key), key
		}
		dst[r] = n.first[at] + uint32(bits.OnesCount64(n.bits[at]&(1<<(i&63)-1))) + 1
	}
}

// List appends ids in their order to dst, from those of a block on, until there are
// most of them or more, and returns the block after these.
func (n *Numbering) List(dst []id, block, most int) ([]id, int) {
	for ; block < len(n.sorted) && len(dst) < most; block++ {
		key := n.sorted[block]
		for left := n.bits[n.blocks.Find1(key)]; left != 0; left &= left - 1 {
			dst = append(dst, key<<6|id(bits.TrailingZeros64(left)))
		}
	}
	return dst, block
}

// Has reports whether an id but 0 was added. There is room for some.
func (n *Numbering) Has(i id) bool {
	at := n.blocks.Find1(i >> 6)
	return at >= 0 && n.bits[at]>>(i&63)&1 != 0 && i != 0
}
