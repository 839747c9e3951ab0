package powercut

import (
	"fmt"
	"strings"
)

// player replays a recording.
type player struct {
	rec   *Recording
	lost  func(*Call) bool
	disk  *disk
	at    int                // the moment
	next  int                // index of the first call that did not begin
	begun []*Call            // that did not return, in order
	marks map[*Call]int      // by sync that runs: the changes that it covers
	open  map[handle]*opened // descriptors
	last  *Call              // that returned
}

// handle is a descriptor of a program.
type handle struct{ process, fd int }

// opened is an open file or folder.
type opened struct {
	name   string // below the root, when it was opened
	node   *node
	offset int64
	append bool
}

func newPlayer(r *Recording, lost func(*Call) bool) *player {
	return &player{rec: r, lost: lost, disk: newDisk(r.before), marks: map[*Call]int{}, open: map[handle]*opened{}, last: &Call{}}
}

// play goes on to a moment.
func (p *player) play(to int) error {
	for ; p.at < to; p.at++ {
		if p.next < len(p.rec.Calls) && p.rec.Calls[p.next].Begin == p.at {
			c := &p.rec.Calls[p.next]
			p.next++
			p.begin(c)
			p.begun = append(p.begun, c)
			continue
		}
		for i, c := range p.begun {
			if c.End == p.at {
				p.begun = append(p.begun[:i:i], p.begun[i+1:]...)
				if err := p.end(c); err != nil {
					return fmt.Errorf("%s: %w", c, err)
				}
				p.last = c
				break
			}
		}
	}
	return nil
}

// begin notes what a sync covers, which is what was done before it, and lets a descriptor
// go that is closed: another call may get its number while close runs.
func (p *player) begin(c *Call) {
	fd, _ := c.descriptor(0)
	h := handle{c.Process, fd}
	f := p.open[h]
	switch {
	case f == nil:
	case c.Name == "close":
		delete(p.open, h)
	case c.Name == "fsync" || c.Name == "fdatasync":
		if p.marks[c] = f.node.writes(); f.node.folder {
			p.marks[c] = p.disk.namings
		}
	}
}

// end carries a call out.
func (p *player) end(c *Call) error {
	if c.Result < 0 || p.lost != nil && p.lost(c) {
		return nil
	}
	fd, _ := c.descriptor(0)
	f := p.open[handle{c.Process, fd}]
	switch c.Name {
	case "fsync", "fdatasync":
		switch mark, ok := p.marks[c]; {
		case f == nil || !ok:
		case f.node.folder:
			p.disk.syncFolder(f.name, mark)
		default:
			f.node.sync(mark)
		}
		delete(p.marks, c)
		return nil
	case "fcntl":
		if f != nil && strings.HasPrefix(c.arg(1), "F_DUPFD") {
			p.open[handle{c.Process, int(c.Result)}] = f
		}
		return nil
	case "dup", "dup2", "dup3":
		if f != nil {
			p.open[handle{c.Process, int(c.Result)}] = f
		}
		return nil
	case "lseek":
		if f != nil {
			f.offset = c.Result
		}
		return nil
	}
	e, err := p.effect(c)
	if err != nil {
		return err
	}
	if e.write != nil {
		e.file.write(*e.write)
	}
	if e.naming != nil {
		p.disk.name(e.naming)
	}
	if e.opens != nil {
		p.open[handle{c.Process, int(c.Result)}] = e.opens
	}
	if c.Name == "write" && f != nil {
		f.offset = e.write.at + c.Result
	}
	return nil
}

// running returns the changes of the calls that run.
func (p *player) running() (map[*node][]write, []*naming, error) {
	writes := map[*node][]write{}
	var names []*naming
	for _, c := range p.begun {
		var e effect
		var err error
		switch {
		case p.lost != nil && p.lost(c):
		case c.cut:
			_, e = p.whole(c)
		case c.Result >= 0:
			e, err = p.effect(c)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c, err)
		}
		if e.write != nil {
			writes[e.file] = append(writes[e.file], *e.write)
		}
		if e.naming != nil {
			names = append(names, e.naming)
		}
	}
	return writes, names, nil
}
