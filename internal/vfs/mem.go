package vfs

import (
	"context"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// Mem is a file system in memory that knows what is durable. In addition to the bytes
// and names that its users see it keeps those that the last syncs made safe;
// [Mem.CrashClone] builds from the two what a crash could leave.
//
// Directories must be made before files are put into them, except the root and
// the working directory; a directory cannot be renamed. Times are a counter, so
// that runs repeat.
type Mem struct {
	mu      sync.Mutex
	names   map[string]*inode // what users see, by clean slash path
	durable map[string]*inode // what the last directory syncs made safe
	pending []change          // names → durable, in order
	locks   map[*inode]bool
	clock   int64
}

// inode is a file or a directory; names point to it, so it outlives them while
// a handle is open.
type inode struct {
	dir   bool
	data  []byte
	safe  []byte // data as of the last Sync
	dirty int64  // data and safe agree before this offset
	mtime int64
}

// change is one directory operation that no sync has made durable: to gets
// node (nil: the name goes), and from, if any, loses it.
type change struct {
	from, to string
	node     *inode
}

func (c change) touches(name string) bool { return c.to == name || c.from != "" && c.from == name }

func (c change) meets(d change) bool {
	return d.touches(c.to) || c.from != "" && d.touches(c.from)
}

func (c change) apply(names map[string]*inode) {
	if c.from != "" {
		delete(names, c.from)
	}
	if c.node == nil {
		delete(names, c.to)
	} else {
		names[c.to] = c.node
	}
}

// NewMem returns an empty file system.
func NewMem() *Mem {
	return &Mem{names: map[string]*inode{}, durable: map[string]*inode{}, locks: map[*inode]bool{}}
}

func clean(name string) string { return filepath.ToSlash(filepath.Clean(name)) }

func parent(name string) string { return clean(filepath.Dir(filepath.FromSlash(name))) }

func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// do applies a change to what users see and notes it for the next SyncDir.
func (m *Mem) do(c change) {
	c.apply(m.names)
	m.pending = append(m.pending, c)
}

func (m *Mem) isDir(name string) bool {
	if n := m.names[name]; n != nil {
		return n.dir
	}
	return parent(name) == name || name == "." // root and working directory
}

func (m *Mem) now() int64 { m.clock++; return m.clock }

// Bind returns the name in its shortest form: the working directory never changes.
func (m *Mem) Bind(name string) (string, error) { return filepath.Clean(name), nil }

// Open opens a file for reading.
func (m *Mem) Open(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.names[clean(name)]
	if n == nil {
		if !m.isDir(clean(name)) {
			return nil, pathError("open", name, fs.ErrNotExist)
		}
		n = &inode{dir: true}
	}
	if err := Regular(name, n.info(clean(name))); err != nil {
		return nil, err
	}
	return &memFile{m: m, n: n, name: name}, nil
}

// CreatePrivate is Create: files in memory have no other users.
func (m *Mem) CreatePrivate(name string) (File, error) { return m.Create(name) }

// Create makes a new file.
func (m *Mem) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names[clean(name)] != nil || m.isDir(clean(name)) {
		return nil, pathError("create", name, fs.ErrExist)
	}
	return m.create(name)
}

func (m *Mem) create(name string) (*memFile, error) {
	p := clean(name)
	if !m.isDir(parent(p)) {
		return nil, pathError("create", name, fs.ErrNotExist)
	}
	n := &inode{mtime: m.now()}
	m.do(change{to: p, node: n})
	return &memFile{m: m, n: n, name: name, writable: true}, nil
}

// OpenWrite opens a file for reading and writing.
func (m *Mem) OpenWrite(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.openWrite(name)
}

func (m *Mem) openWrite(name string) (*memFile, error) {
	n := m.names[clean(name)]
	if n == nil {
		return m.create(name)
	}
	if err := Regular(name, n.info(clean(name))); err != nil {
		return nil, err
	}
	f := &memFile{m: m, n: n, name: name, writable: true}
	return f, nil
}

// Rename renames a file, replacing newname.
func (m *Mem) Rename(oldname, newname string) error { return m.rename(oldname, newname, false) }

// RenameNew renames a file to a free name.
func (m *Mem) RenameNew(oldname, newname string) error { return m.rename(oldname, newname, true) }

func (m *Mem) rename(oldname, newname string, free bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to := clean(oldname), clean(newname)
	n := m.names[from]
	switch {
	case n == nil || !m.isDir(parent(to)):
		return pathError("rename", oldname, fs.ErrNotExist)
	case n.dir || m.isDir(to):
		return pathError("rename", oldname, fs.ErrInvalid)
	case free && m.names[to] != nil:
		return pathError("rename", newname, fs.ErrExist)
	case from == to:
		return nil
	}
	m.do(change{from: from, to: to, node: n})
	return nil
}

// Remove deletes a name.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := clean(name)
	n := m.names[p]
	if n == nil {
		return pathError("remove", name, fs.ErrNotExist)
	}
	if n.dir && len(m.children(p)) > 0 {
		return pathError("remove", name, fs.ErrInvalid)
	}
	m.do(change{to: p})
	return nil
}

// MkdirAll makes a directory and its parents.
func (m *Mem) MkdirAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mkdirAll(clean(name))
}

func (m *Mem) mkdirAll(p string) error {
	if m.isDir(p) {
		return nil
	}
	if m.names[p] != nil {
		return pathError("mkdir", p, fs.ErrExist)
	}
	if err := m.mkdirAll(parent(p)); err != nil {
		return err
	}
	m.do(change{to: p, node: &inode{dir: true, mtime: m.now()}})
	return nil
}

// SyncDir makes the names in a directory durable, and whatever these depend on.
func (m *Mem) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir := clean(name)
	if !m.isDir(dir) {
		return pathError("sync", name, fs.ErrNotExist)
	}
	wanted := make([]bool, len(m.pending))
	for i := len(m.pending) - 1; i >= 0; i-- {
		c := m.pending[i]
		wanted[i] = wanted[i] || parent(c.to) == dir
		for j := 0; wanted[i] && j < i; j++ {
			wanted[j] = wanted[j] || m.pending[j].meets(c)
		}
	}
	rest := m.pending[:0]
	for i, c := range m.pending {
		if wanted[i] {
			c.apply(m.durable)
		} else {
			rest = append(rest, c)
		}
	}
	m.pending = rest
	return nil
}

// Stat describes a file or a directory.
func (m *Mem) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := clean(name)
	if n := m.names[p]; n != nil {
		return n.info(p), nil
	}
	if m.isDir(p) {
		return (&inode{dir: true}).info(p), nil
	}
	return nil, pathError("stat", name, fs.ErrNotExist)
}

// ReadDir lists a directory.
func (m *Mem) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := clean(name)
	if !m.isDir(p) {
		return nil, pathError("readdir", name, fs.ErrNotExist)
	}
	var out []fs.DirEntry
	for _, c := range m.children(p) {
		out = append(out, fs.FileInfoToDirEntry(m.names[c].info(c)))
	}
	return out, nil
}

func (m *Mem) children(dir string) []string {
	var out []string
	for p := range m.names {
		if p != dir && parent(p) == dir {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}

// Lock waits for an exclusive lock.
func (m *Mem) Lock(ctx context.Context, name string) (Locked, error) {
	return pollLock(ctx, name, m.TryLock)
}

// TryLock takes an exclusive lock or fails with [ErrLocked]. As on a disk the lock is
// on the file: one that was removed keeps nobody out.
func (m *Mem) TryLock(name string) (Locked, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.openWrite(name)
	if err != nil {
		return nil, err
	}
	if m.locks[f.n] {
		return nil, pathError("lock", name, ErrLocked)
	}
	m.locks[f.n] = true
	return &memLock{f: f}, nil
}

type memLock struct {
	f    *memFile
	once sync.Once
}

func (l *memLock) File() File { return l.f }

func (l *memLock) Held() error {
	l.f.m.mu.Lock()
	defer l.f.m.mu.Unlock()
	if l.f.m.names[clean(l.f.name)] != l.f.n {
		return pathError("lock", l.f.name, ErrLockLost)
	}
	return nil
}

func (l *memLock) Close() error {
	l.once.Do(func() {
		l.f.Close()
		l.f.m.mu.Lock()
		delete(l.f.m.locks, l.f.n)
		l.f.m.mu.Unlock()
	})
	return nil
}

func (n *inode) info(p string) fs.FileInfo {
	return memInfo{p[strings.LastIndexByte(p, '/')+1:], int64(len(n.data)), n.dir, time.Unix(n.mtime, 0), n}
}

type memInfo struct {
	name  string
	size  int64
	dir   bool
	mtime time.Time
	node  *inode
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) IsDir() bool        { return i.dir }
func (i memInfo) ModTime() time.Time { return i.mtime }
func (i memInfo) Sys() any           { return i.node }
func (i memInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
