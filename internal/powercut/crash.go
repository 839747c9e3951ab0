package powercut

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// Loss says how much of what was not durable a power cut takes.
type Loss uint8

// The losses.
const (
	LoseAll  Loss = iota // everything
	LoseSome             // a part, drawn from the seed
	LoseNone             // nothing
)

// Crash is a moment, and what is lost in it.
//
// What was synced stays. Of the other data of a file each sector of 512 bytes has what one
// of the writes up to then left in it, or what was durable, whatever becomes of the
// sectors next to it and of writes to other files; the length is any between those that the
// file had since its last sync, and what is lost in it reads as zeros. Each change of a
// name stays or not by itself, except that a later one of a name needs the earlier ones of
// it, and that a rename is one step: a journal of metadata gives that, POSIX does not.
// A call that had not returned may have had its effect or not, also one in which the
// program ended.
type Crash struct {
	At          int // moment, at most the recording's length
	Data, Names Loss
	Seed        uint64
}

func (c Crash) String() string {
	return fmt.Sprintf("moment %d, data: %v, names: %v, seed %d", c.At, c.Data, c.Names, c.Seed)
}

func (l Loss) String() string {
	return [...]string{"all lost", "some lost", "none lost"}[l]
}

// Moments returns those in which a call that changes files or makes them durable has just
// begun, or has just returned.
func (r *Recording) Moments() (out []int) {
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Result < 0 && !c.cut {
			continue
		}
		switch c.Name {
		case "openat":
			if !strings.Contains(c.arg(2), "O_CREAT") {
				continue
			}
		case "write":
			if _, of := c.descriptor(0); !strings.HasPrefix(of, r.root) {
				continue
			}
		case "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "link", "linkat":
		default:
			continue
		}
		out = append(out, c.Begin+1, c.End+1)
	}
	return out
}

// Images calls use with the folder that each crash leaves, in the order of their moments.
// A call for which lost, if it is not nil, returns true has no effect: a disk whose
// syncs are lost shows that their absence is found.
func (r *Recording) Images(crashes []Crash, lost func(*Call) bool, use func(Crash, Image) error) error {
	crashes = slices.SortedStableFunc(slices.Values(crashes), func(a, b Crash) int { return cmp.Compare(a.At, b.At) })
	p := newPlayer(r, lost)
	for _, c := range crashes {
		if err := p.play(c.At); err != nil {
			return err
		}
		writes, names, err := p.running()
		if err != nil {
			return err
		}
		if err := use(c, p.disk.image(c, writes, names)); err != nil {
			return fmt.Errorf("%s, after %s: %w", c, p.last, err)
		}
	}
	return nil
}

// image is what a crash leaves. The running calls give more changes, which nothing made
// durable.
func (d *disk) image(c Crash, writes map[*node][]write, namings []*naming) Image {
	r := rand.New(rand.NewPCG(c.Seed, uint64(c.At)))
	names := maps.Clone(d.safe)
	var lost []*naming
	for _, m := range slices.Concat(d.waiting, namings) {
		keep := c.Names == LoseNone || c.Names == LoseSome && r.IntN(2) == 0
		if keep && !slices.ContainsFunc(lost, m.meets) {
			m.apply(names)
		} else {
			lost = append(lost, m)
		}
	}
	image := Image{}
	for _, name := range slices.Sorted(maps.Keys(names)) { // sorted: the seed alone decides
		switch n := names[name]; {
		case name == "." || !reachable(names, name):
		case n.folder:
			image[name] = nil
		default:
			image[name] = n.image(c.Data, r, slices.Concat(n.waits, writes[n]))
		}
	}
	return image
}

// reachable reports whether all folders above a name are there.
func reachable(names map[string]*node, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if n := names[dir]; n == nil || !n.folder {
			return false
		}
	}
	return true
}

const sector = 512

// image is what is left of a file: never nil.
func (n *node) image(loss Loss, r *rand.Rand, waits []write) []byte {
	data := append([]byte{}, n.safe...)
	if loss == LoseSome && len(waits) > 0 {
		loss = Loss(r.IntN(3)) // also one file whole, and another one lost
	}
	if loss == LoseAll {
		return data
	}
	least, most := len(data), len(data)
	versions := [][]byte{slices.Clone(data)}
	for _, w := range waits {
		data = w.apply(data)
		least, most = min(least, len(data)), max(most, len(data))
		if loss == LoseSome {
			versions = append(versions, slices.Clone(data))
		}
	}
	if loss == LoseNone {
		return data
	}
	out := make([]byte, [...]int{least, most, least + r.IntN(most-least+1)}[r.IntN(3)])
	for at := 0; at < len(out); at += sector {
		if v := versions[r.IntN(len(versions))]; at < len(v) {
			copy(out[at:min(at+sector, len(out))], v[at:])
		}
	}
	return out
}
