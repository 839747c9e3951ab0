// Package scratch is the temporary files of one run: a build, a compaction.
//
// The files of a run lie in a folder of its own, next to a lock file that the run
// holds. A process that makes a folder first removes those whose lock nobody holds: what a
// killed process left. All that is read back is compared with checksums.
package scratch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rete-go/rete/internal/vfs"
)

const (
	folderPrefix = "rete-scratch-"
	lockSuffix   = ".lock"
)

// Folder is where the files of one run lie. Nothing is on disk until the first file is
// made. It may be used by several goroutines.
type Folder struct {
	fsys   vfs.FS
	parent string
	limit  int64

	mu     sync.Mutex // guards all below
	dir    string     // "": not made yet
	lock   vfs.Locked
	made   int // files so far
	used   int64
	most   int64
	needed int64
	least  bool
	open   map[*File]struct{}
}

// New returns the scratch folder of a run, to be made below parent. limit bounds the bytes of
// its files; 0 is no bound. Whatever happens, it must be closed.
func New(fsys vfs.FS, parent string, limit int64) *Folder {
	return &Folder{fsys: fsys, parent: parent, limit: limit, open: map[*File]struct{}{}}
}

// Expect says how many bytes the run will need in all, about, or at least: for the error of a full
// disk.
func (f *Folder) Expect(bytes int64, least bool) {
	f.mu.Lock()
	f.needed, f.least = bytes, least
	f.mu.Unlock()
}

// Peak returns the most bytes that the files had at one time.
func (f *Folder) Peak() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.most
}

// Create makes a file.
func (f *Folder) Create() (*File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.make(); err != nil {
		return nil, f.explain(err)
	}
	f.made++
	name := filepath.Join(f.dir, fmt.Sprintf("%06d", f.made))
	file, err := f.fsys.CreatePrivate(name)
	if err != nil {
		return nil, f.explain(err)
	}
	s := &File{folder: f, name: name, file: file}
	f.open[s] = struct{}{}
	return s, nil
}

// make makes the folder, and removes those of dead runs.
func (f *Folder) make() error {
	if f.dir != "" {
		return nil
	}
	if err := clean(f.fsys, f.parent); err != nil {
		return err
	}
	dir := filepath.Join(f.parent, folderPrefix+rand.Text()[:16])
	lock, err := f.fsys.TryLock(dir + lockSuffix)
	if err != nil {
		return err
	}
	if err := f.fsys.MkdirAll(dir); err != nil {
		return errors.Join(err, unlock(f.fsys, dir+lockSuffix, lock))
	}
	f.dir, f.lock = dir, lock
	return nil
}

// Close removes the folder and all that is in it. If it cannot, the lock file stays, and the
// next run does. Closing twice is safe.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dir == "" {
		return nil
	}
	var errs []error
	for s := range f.open {
		errs = append(errs, s.file.Close())
	}
	clear(f.open)
	errs = append(errs, discard(f.fsys, f.dir, f.lock))
	f.dir, f.used = "", 0
	return errors.Join(errs...)
}

// clean removes below parent what killed processes left. It leaves alone what it may not remove:
// other users have runs too.
func clean(fsys vfs.FS, parent string) error {
	entries, err := fsys.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), folderPrefix) || !strings.HasSuffix(e.Name(), lockSuffix) {
			continue
		}
		name := filepath.Join(parent, e.Name())
		lock, err := fsys.TryLock(name)
		if err != nil {
			continue
		}
		_ = discard(fsys, strings.TrimSuffix(name, lockSuffix), lock)
	}
	return nil
}

// discard removes a folder and then its lock, which is held.
func discard(fsys vfs.FS, dir string, lock vfs.Locked) error {
	if err := removeFolder(fsys, dir); err != nil {
		return errors.Join(err, lock.Close())
	}
	return unlock(fsys, dir+lockSuffix, lock)
}

// unlock removes a lock file that is held, and gives the lock back: in this order, so that
// who waits for it finds that it has lost its name. Windows removes no open file.
func unlock(fsys vfs.FS, name string, lock vfs.Locked) error {
	err := fsys.Remove(name)
	if cerr := lock.Close(); err != nil && cerr == nil {
		err = fsys.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// removeFolder removes a folder of files, which may be gone already.
func removeFolder(fsys vfs.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range entries {
		errs = append(errs, fsys.Remove(filepath.Join(dir, e.Name())))
	}
	return errors.Join(append(errs, fsys.Remove(dir))...)
}
