package powercut

import (
	"fmt"
	"path/filepath"
	"strings"
)

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

// The forms of calls that change names: with folders and names, or with names alone.
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
