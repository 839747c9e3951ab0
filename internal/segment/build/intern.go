package build

import (
	"bytes"
	"hash/maphash"
	"math"
	"sync"

	"github.com/rete-go/rete/internal/segment/write"
)

// The interner gives each distinct surface a number and remembers its roles. It
// is split into shards so that several parsers can use it at once; surfaces lie
// in byte arenas that the garbage collector does not look into.
const (
	internShards = 64
	shardBits    = 6
	arenaBits    = 18 // size of an arena's block
	arenaBlock   = 1 << arenaBits
)

type interner struct {
	seed   maphash.Seed // secret: nobody can make terms that collide
	shards [internShards]internShard
}

type internShard struct {
	mu     sync.Mutex // guards all below; the bytes of arenas are written once
	slots  []uint64   // open addressing: 32 bits of the hash, number in the shard + 1
	at     []uint64   // per term: place in the arena
	length []uint32
	roles  []write.Role
	arena  arena
	_      [64]byte
}

// arena is byte storage in blocks that never move. A long surface gets a block
// of its own.
type arena struct {
	blocks [][]byte
	bytes  int64
	spare  [][]byte // blocks of the usual size that are free
}

// put copies b and returns its place: block number and offset in it.
func (a *arena) put(b []byte) uint64 {
	n := len(a.blocks)
	if n == 0 || cap(a.blocks[n-1])-len(a.blocks[n-1]) < len(b) {
		// The blocks grow with what there is, so that a quarter of it is free at most.
		size := max(4<<10, int(min(a.bytes/4, arenaBlock)), len(b))
		if k := len(a.spare) - 1; k >= 0 && len(b) <= arenaBlock {
			a.blocks, a.spare = append(a.blocks, a.spare[k]), a.spare[:k]
			size = arenaBlock
		} else {
			a.blocks = append(a.blocks, make([]byte, 0, size))
		}
		a.bytes += int64(size)
		n++
	}
	last := &a.blocks[n-1]
	off := len(*last)
	*last = append(*last, b...)
	return uint64(n-1)<<32 | uint64(off)
}

func (a *arena) get(at uint64, n uint32) []byte {
	off := uint32(at)
	return a.blocks[at>>32][off : off+n : off+n]
}

// reset drops what the arena holds and keeps its memory.
func (a *arena) reset() {
	for _, b := range a.blocks {
		if cap(b) == arenaBlock {
			a.spare = append(a.spare, b[:0])
		}
	}
	clear(a.blocks)
	a.blocks, a.bytes = a.blocks[:0], 0
}

func newInterner() *interner {
	return &interner{seed: maphash.MakeSeed()}
}

// internCache is one parser's memory of the terms that it saw last: no lock is
// taken for those.
type internCache struct {
	in      *interner
	entries []cachedTerm // a power of two
	misses  int
}

type cachedTerm struct {
	surface []byte // in an arena
	id      uint32
	roles   write.Role
}

// A cache begins small, for segments of a few quads, and grows with its misses.
const (
	internCacheLeast = 1 << 6
	internCacheMost  = 1 << 13
)

func (in *interner) newCache() *internCache {
	return &internCache{in: in, entries: make([]cachedTerm, internCacheLeast)}
}

// reset drops what the cache holds, as the interner was reset.
func (c *internCache) reset() { clear(c.entries) }

// knows reports whether the surface is among those that were seen last.
func (c *internCache) knows(surface []byte) bool {
	e := &c.entries[maphash.Bytes(c.in.seed, surface)&uint64(len(c.entries)-1)]
	return e.roles != 0 && bytes.Equal(e.surface, surface)
}

// id returns the number of a surface, and whether it is new.
func (c *internCache) id(surface []byte, role write.Role) (id uint32, isNew bool, err error) {
	h := maphash.Bytes(c.in.seed, surface)
	e := &c.entries[h&uint64(len(c.entries)-1)]
	if e.roles&role != 0 && bytes.Equal(e.surface, surface) {
		return e.id, false, nil
	}
	if c.misses++; c.misses > len(c.entries) && len(c.entries) < internCacheMost {
		c.entries = make([]cachedTerm, min(8*len(c.entries), internCacheMost))
		e = &c.entries[h&uint64(len(c.entries)-1)]
	}
	id, stored, roles, isNew, err := c.in.add(h, surface, role)
	*e = cachedTerm{stored, id, roles}
	return id, isNew, err
}

// add finds or adds a surface, and adds role to its roles.
func (in *interner) add(h uint64, surface []byte, role write.Role) (id uint32, stored []byte, roles write.Role, isNew bool, err error) {
	no := uint32(h >> (64 - shardBits))
	s := &in.shards[no]
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.at)*4 >= len(s.slots)*3 {
		s.grow(in.seed)
	}
	mask := uint64(len(s.slots) - 1)
	tag := h << 6 >> 32 // below the bits of the shard
	for i := h & mask; ; i = (i + 1) & mask {
		slot := s.slots[i]
		if slot == 0 {
			k := len(s.at)
			if k >= math.MaxUint32>>shardBits || uint64(len(surface)) > math.MaxUint32 {
				return 0, nil, 0, false, errTooManyTerms
			}
			at := s.arena.put(surface)
			s.at, s.length, s.roles = append(s.at, at), append(s.length, uint32(len(surface))), append(s.roles, role)
			s.slots[i] = tag<<32 | uint64(k+1)
			return uint32(k)<<shardBits | no, s.arena.get(at, uint32(len(surface))), role, true, nil
		}
		if slot>>32 == tag {
			k := uint32(slot) - 1
			if old := s.arena.get(s.at[k], s.length[k]); bytes.Equal(old, surface) {
				s.roles[k] |= role
				return k<<shardBits | no, old, s.roles[k], false, nil
			}
		}
	}
}

// grow doubles the table.
func (s *internShard) grow(seed maphash.Seed) {
	s.slots = make([]uint64, max(64, 2*len(s.slots)))
	mask := uint64(len(s.slots) - 1)
	for k, at := range s.at {
		h := maphash.Bytes(seed, s.arena.get(at, s.length[k]))
		i := h & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = h<<6>>32<<32 | uint64(k+1)
	}
}

// reset drops all terms and keeps the memory for others.
func (in *interner) reset() {
	for i := range in.shards {
		s := &in.shards[i]
		clear(s.slots)
		s.at, s.length, s.roles = s.at[:0], s.length[:0], s.roles[:0]
		s.arena.reset()
	}
}

// dropTable gives back what it takes to find terms: no more come.
func (in *interner) dropTable() {
	for i := range in.shards {
		in.shards[i].slots = nil
	}
}

// each calls use for all terms.
func (in *interner) each(use func(termItem)) {
	for no := range in.shards {
		s := &in.shards[no]
		for k, at := range s.at {
			use(termItem{at: at, length: s.length[k], id: uint32(k)<<shardBits | uint32(no)})
		}
	}
}

// same reports whether two terms have one surface, as in documents that are the same.
func (in *interner) same(x, y *termItem) bool {
	return x.length == y.length && bytes.Equal(in.bytes(x), in.bytes(y))
}

// term returns the surface of the sorted item i, the roles of all that have it, and where the
// next surface begins.
func (in *interner) term(items []termItem, i int) (surface []byte, roles write.Role, next int) {
	surface = in.bytes(&items[i])
	for next = i; next < len(items) && (next == i || in.same(&items[i], &items[next])); next++ {
		id := items[next].id
		roles |= in.shards[id&(internShards-1)].roles[id>>shardBits]
	}
	return surface, roles, next
}

// bytes returns the surface of an item.
func (in *interner) bytes(x *termItem) []byte {
	return in.shards[x.id&(internShards-1)].arena.get(x.at, x.length)
}

// surface returns the bytes of a term.
func (in *interner) surface(id uint32) []byte {
	s := &in.shards[id&(internShards-1)]
	k := id >> shardBits
	return s.arena.get(s.at[k], s.length[k])
}

// count returns the number of terms, and the least number above every id.
func (in *interner) count() (terms, limit int) {
	most := 0
	for i := range in.shards {
		n := len(in.shards[i].at)
		terms += n
		most = max(most, n)
	}
	return terms, most << shardBits
}

// memory returns about how many bytes the terms take, with what it takes to sort them.
func (in *interner) memory() (n int64) {
	for i := range in.shards {
		s := &in.shards[i]
		s.mu.Lock()
		n += s.arena.bytes + int64(len(s.slots))*8 + int64(cap(s.at))*13 + int64(len(s.at))*(termItemBytes+4)
		s.mu.Unlock()
	}
	return n
}
