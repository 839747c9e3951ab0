package powercut

import (
	"fmt"
	"path/filepath"
	"strings"
)

// player replays a recording.
type player struct {
	rec    *Recording
	forget func(*Call) bool
	disk   *disk
	at     int                // the moment
	next   int                // index of the first call that did not begin
	begun  []*Call            // that did not return, in order
	marks  map[*Call]int      // by sync that runs: the changes that it covers
	open   map[handle]*opened // descriptors
	last   *Call              // that returned
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

func newPlayer(r *Recording, forget func(*Call) bool) *player {
	return &player{rec: r, forget: forget, disk: newDisk(r.before), marks: map[*Call]int{}, open: map[handle]*opened{}, last: &Call{}}
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
	if c.Result < 0 || p.forget != nil && p.forget(c) {
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
		if c.Result < 0 || p.forget != nil && p.forget(c) {
			continue
		}
		e, err := p.effect(c)
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

// effect is what a call does to files.
type effect struct {
	file   *node // that write changes
	write  *write
	naming *naming
	opens  *opened // what the descriptor that it returns stands for
}

// effect says what a call that succeeds does, and changes nothing.
func (p *player) effect(c *Call) (effect, error) {
	switch c.Name {
	case "openat":
		return p.opening(c)
	case "write", "pwrite64", "ftruncate":
		return p.writing(c)
	case "rename", "unlink", "mkdir", "rmdir", "link":
		return p.renaming(c, plain)
	case "renameat", "renameat2", "unlinkat", "mkdirat", "linkat":
		return p.renaming(c, relative)
	case "close", "exit_group", "fsync", "fdatasync", "fcntl", "dup", "dup2", "dup3", "lseek":
		return effect{}, nil
	case "execve", "clone", "clone3", "fork", "vfork":
		return effect{}, p.starts(c)
	case "mmap":
		if !strings.Contains(c.arg(3), "MAP_SHARED") || !strings.Contains(c.arg(2), "PROT_WRITE") {
			return effect{}, nil
		}
	}
	for i := range c.Args {
		if fd, _ := c.descriptor(i); fd >= 0 && p.open[handle{c.Process, fd}] != nil {
			return effect{}, errUnknown
		}
	}
	switch c.Name {
	case "mmap", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "splice", "fallocate", "sync_file_range":
		return effect{}, nil // of other files
	}
	return effect{}, errUnknown
}

var errUnknown = fmt.Errorf("the replay does not know what this call does")

// starts checks that a program has threads, but no children, whose calls would be
// another program's.
func (p *player) starts(c *Call) error {
	first := c.Name == "execve" && (c.Begin == 0 || p.last.Process != c.Process)
	if first || strings.HasPrefix(c.Name, "clone") && strings.Contains(strings.Join(c.Args, " "), "CLONE_THREAD") {
		return nil
	}
	return errUnknown
}

// opening is the effect of openat.
func (p *player) opening(c *Call) (effect, error) {
	name, ok, err := p.path(c, 0, 1)
	if err != nil || !ok {
		return effect{}, err
	}
	flags, n := c.arg(2), p.disk.now[name]
	e := effect{opens: &opened{name: name, node: n, append: strings.Contains(flags, "O_APPEND")}}
	switch {
	case strings.Contains(flags, "O_TMPFILE"):
		return e, errUnknown
	case n == nil && strings.Contains(flags, "O_CREAT"):
		e.opens.node = &node{}
		e.naming = newNaming("", name, e.opens.node)
	case n == nil && strings.Contains(flags, "O_RDONLY"): // the call that made it ends after this one
		return effect{}, nil
	case n == nil:
		return e, fmt.Errorf("the replay does not have %s", name)
	case strings.Contains(flags, "O_TRUNC"):
		e.file, e.write = n, &write{cut: true}
	}
	return e, nil
}

// writing is the effect of a call that changes the data of a file.
func (p *player) writing(c *Call) (effect, error) {
	fd, _ := c.descriptor(0)
	f := p.open[handle{c.Process, fd}]
	if f == nil {
		return effect{}, nil
	}
	if c.Name == "ftruncate" {
		at, err := c.number(1)
		return effect{file: f.node, write: &write{at: at, cut: true}}, err
	}
	data, err := c.text(1)
	if err != nil || int64(len(data)) < c.Result {
		return effect{}, fmt.Errorf("%d bytes were written, %d recorded: %w", c.Result, len(data), err)
	}
	w := &write{at: f.offset, data: data[:c.Result]}
	switch {
	case c.Name == "pwrite64":
		w.at, err = c.number(3)
	case f.append:
		w.at = int64(len(f.node.data))
	}
	return effect{file: f.node, write: w}, err
}

// The forms of calls that change names: with folders beside the names, or without.
const (
	plain    = 1
	relative = 2
)

// renaming is the effect of a call that changes names.
func (p *player) renaming(c *Call, form int) (effect, error) {
	name, ok, err := p.path(c, form-2, form-1)
	if err != nil {
		return effect{}, err
	}
	switch what := strings.TrimSuffix(strings.TrimSuffix(c.Name, "2"), "at"); what {
	case "unlink", "rmdir", "mkdir":
		if !ok {
			return effect{}, nil
		}
		var n *node
		if what == "mkdir" {
			n = &node{folder: true}
		}
		return effect{naming: newNaming("", name, n)}, nil
	}
	to, inside, err := p.path(c, 2*form-2, 2*form-1)
	if err != nil || !ok && !inside {
		return effect{}, err
	}
	n := p.disk.now[name]
	if !ok || !inside || n == nil || n.folder || strings.Contains(strings.Join(c.Args[form*2:], ""), "EXCHANGE") {
		return effect{}, errUnknown
	}
	if strings.HasPrefix(c.Name, "link") {
		return effect{naming: newNaming("", to, n)}, nil
	}
	return effect{naming: newNaming(name, to, n)}, nil
}

// path returns a path, argument i, as a name below the root; argument dir is the folder
// that it is relative to, if it is not below zero. ok is false for a path elsewhere.
func (p *player) path(c *Call, dir, i int) (name string, ok bool, err error) {
	text, err := c.text(i)
	if err != nil {
		return "", false, err
	}
	path := string(text)
	if !filepath.IsAbs(path) {
		if dir < 0 {
			return "", false, errUnknown
		}
		_, folder := c.descriptor(dir)
		path = filepath.Join(folder, path)
	}
	name, err = filepath.Rel(p.rec.root, path)
	if err != nil || name == ".." || strings.HasPrefix(name, "../") {
		return "", false, nil
	}
	return filepath.ToSlash(name), true, nil
}
