package vfs

import (
	"math/rand/v2"
	"slices"
)

// Loss says how much of what was not synced a crash takes.
type Loss uint8

const (
	LoseAll  Loss = iota // everything that was not synced
	LoseSome             // a part of it, drawn from the seed
	LoseNone             // nothing: the machine had written it all in time
)

// CrashOptions choose one of the states that a crash could leave.
type CrashOptions struct {
	Data  Loss   // of file data
	Names Loss   // of directory entries
	Seed  uint64 // of what LoseSome draws
}

// sector is the unit in which unsynced data survives or does not.
const sector = 512

// CrashClone returns what a machine would find after the power went now. The
// original is not changed and not stopped; locks and open handles are not part
// of the clone, in which everything is durable.
//
// A clone holds all that was synced. Of a file's unsynced data each sector of
// 512 bytes survives or not by itself; a file that grew has any length from the
// synced to the written one, and lost sectors in it read as zeros. Each unsynced
// directory change survives or not by itself, except that a later change of a
// name needs the earlier ones of that name, and that a rename is one step. A
// name can survive without its file's data, and data without the name.
func (m *Mem) CrashClone(o CrashOptions) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	rnd := rand.New(rand.NewPCG(o.Seed, 0x7265746563726173))
	names := make(map[string]*inode, len(m.durable))
	for p, n := range m.durable {
		names[p] = n
	}
	var lost []change
	for _, c := range m.pending {
		keep := o.Names == LoseNone || o.Names == LoseSome && rnd.IntN(2) == 0
		if keep && !slices.ContainsFunc(lost, c.meets) {
			c.apply(names)
		} else {
			lost = append(lost, c)
		}
	}
	out := NewMem()
	out.clock = m.clock
	clones := map[*inode]*inode{}
	for _, p := range sortedKeys(names) { // sorted: the seed alone decides
		if !reachable(names, p) {
			continue
		}
		n := names[p]
		if clones[n] == nil {
			clones[n] = n.crash(o.Data, rnd)
		}
		out.names[p], out.durable[p] = clones[n], clones[n]
	}
	return out
}

func sortedKeys(m map[string]*inode) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// reachable reports whether all directories above p survived.
func reachable(names map[string]*inode, p string) bool {
	for d := parent(p); d != "." && d != parent(d); d = parent(d) {
		if n := names[d]; n == nil || !n.dir {
			return false
		}
	}
	return true
}

func (n *inode) crash(loss Loss, rnd *rand.Rand) *inode {
	c := &inode{dir: n.dir, mtime: n.mtime}
	switch {
	case loss == LoseAll:
		c.data = slices.Clone(n.safe)
	case loss == LoseNone || slices.Equal(n.safe, n.data):
		c.data = slices.Clone(n.data)
	default:
		c.data = n.torn(rnd)
	}
	c.safe, c.dirty = slices.Clone(c.data), int64(len(c.data))
	return c
}

// torn mixes synced and written data by sectors.
func (n *inode) torn(rnd *rand.Rand) []byte {
	low, high := min(len(n.safe), len(n.data)), max(len(n.safe), len(n.data))
	out := make([]byte, low+rnd.IntN(high-low+1))
	copy(out, n.safe)
	for at := int(n.dirty) / sector * sector; at < len(out); at += sector {
		if at < len(n.data) && rnd.IntN(2) == 0 {
			copy(out[at:min(at+sector, len(out))], n.data[at:])
		}
	}
	return out
}
