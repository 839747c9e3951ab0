package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
)

// Op is a kind of operation of [FS] or [File].
type Op uint8

// The operations, in the order in which an interface names them.
const (
	OpOpen Op = iota
	OpCreate
	OpOpenWrite
	OpRename
	OpRenameNew
	OpRemove
	OpStat
	OpReadDir
	OpMkdirAll
	OpSyncDir
	OpLock
	OpRead
	OpWrite
	OpSync
	OpTruncate
	OpFileStat
	OpClose
)

var opNames = [...]string{"open", "create", "open to write", "rename", "rename new", "remove", "stat", "list",
	"make directory", "sync directory", "lock", "read", "write", "sync", "truncate", "stat file", "close"}

func (o Op) String() string { return opNames[o] }

// Call is one operation that is about to be made.
type Call struct {
	Op   Op
	Name string // the file; of a rename the old name
	To   string // of a rename the new name
	Size int    // of a read or write its length, of a truncate the new size
}

func (c Call) String() string {
	if c.To != "" {
		return fmt.Sprintf("%s %s to %s", c.Op, c.Name, c.To)
	}
	return fmt.Sprintf("%s %s", c.Op, c.Name)
}

// Mutates reports whether the operation can change files or names, or makes
// them durable.
func (c Call) Mutates() bool {
	return !slices.Contains([]Op{OpOpen, OpStat, OpReadDir, OpRead, OpFileStat, OpLock, OpClose}, c.Op)
}

// Errors for a [Fault] to return.
var (
	// ErrInjected stands for any failure of a disk.
	ErrInjected = errors.New("injected fault")
	// ErrNoSpace, ErrQuota and ErrTooLarge are the operating system's: no space left on the device,
	// no more of it for this user, and no larger file.
	ErrNoSpace  = noRoom[0].err
	ErrQuota    = noRoom[1].err
	ErrTooLarge = noRoom[2].err
)

// ShortWrite makes a write write only the first N bytes and then fail with Err.
type ShortWrite struct {
	N   int
	Err error
}

func (s ShortWrite) Error() string { return fmt.Sprintf("short write of %d bytes: %v", s.N, s.Err) }

// Unwrap gives Err.
func (s ShortWrite) Unwrap() error { return s.Err }

// Done makes an operation happen and report failure all the same: a reply that
// was lost.
type Done struct{ Err error }

func (d Done) Error() string { return fmt.Sprintf("done, but: %v", d.Err) }

// Unwrap gives Err.
func (d Done) Unwrap() error { return d.Err }

// Fault passes operations on to another file system, or makes them fail.
type Fault struct {
	base FS
	fail func(Call) error
}

// NewFault asks fail before every operation; an error other than nil is what
// the operation returns, and the operation is not made, except as [ShortWrite]
// and [Done] say. fail may also look at the state below, for instance to take a
// crash clone. It is called by several goroutines if the file system is.
func NewFault(base FS, fail func(Call) error) *Fault { return &Fault{base, fail} }

// FailAt returns a function for [NewFault] that fails the k-th of the calls that
// filter lets through, counted from 1; a nil filter means all. hit tells
// whether it came to that.
func FailAt(k int, err error, filter func(Call) bool) (fail func(Call) error, hit func() bool) {
	var n atomic.Int64
	fail = func(c Call) error {
		if filter != nil && !filter(c) {
			return nil
		}
		if n.Add(1) == int64(k) {
			return err
		}
		return nil
	}
	return fail, func() bool { return n.Load() >= int64(k) }
}

// run makes one operation under the rule of fail.
func (f *Fault) run(c Call, do func() error) error {
	err := f.fail(c)
	if err == nil {
		return do()
	}
	var done Done
	if errors.As(err, &done) {
		if derr := do(); derr != nil {
			return derr
		}
	}
	return fmt.Errorf("%s: %w", c, err)
}

func (f *Fault) file(op Op, name string, open func(string) (File, error)) (File, error) {
	var file File
	err := f.run(Call{Op: op, Name: name}, func() (err error) {
		file, err = open(name)
		return err
	})
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	return &faultFile{f, file, name}, nil
}

// Bind is [FS.Bind]; it never fails.
func (f *Fault) Bind(name string) (string, error) { return f.base.Bind(name) }

// Open is [FS.Open].
func (f *Fault) Open(name string) (File, error) { return f.file(OpOpen, name, f.base.Open) }

// Create is [FS.Create].
func (f *Fault) Create(name string) (File, error) { return f.file(OpCreate, name, f.base.Create) }

// CreatePrivate is [FS.CreatePrivate], with the operation [OpCreate].
func (f *Fault) CreatePrivate(name string) (File, error) {
	return f.file(OpCreate, name, f.base.CreatePrivate)
}

// OpenWrite is [FS.OpenWrite].
func (f *Fault) OpenWrite(name string) (File, error) {
	return f.file(OpOpenWrite, name, f.base.OpenWrite)
}

// Rename is [FS.Rename].
func (f *Fault) Rename(oldname, newname string) error {
	return f.run(Call{Op: OpRename, Name: oldname, To: newname}, func() error { return f.base.Rename(oldname, newname) })
}

// RenameNew is [FS.RenameNew].
func (f *Fault) RenameNew(oldname, newname string) error {
	return f.run(Call{Op: OpRenameNew, Name: oldname, To: newname}, func() error { return f.base.RenameNew(oldname, newname) })
}

// Remove is [FS.Remove].
func (f *Fault) Remove(name string) error {
	return f.run(Call{Op: OpRemove, Name: name}, func() error { return f.base.Remove(name) })
}

// MkdirAll is [FS.MkdirAll].
func (f *Fault) MkdirAll(name string) error {
	return f.run(Call{Op: OpMkdirAll, Name: name}, func() error { return f.base.MkdirAll(name) })
}

// SyncDir is [FS.SyncDir].
func (f *Fault) SyncDir(name string) error {
	return f.run(Call{Op: OpSyncDir, Name: name}, func() error { return f.base.SyncDir(name) })
}

// Stat is [FS.Stat].
func (f *Fault) Stat(name string) (st fs.FileInfo, err error) {
	err = f.run(Call{Op: OpStat, Name: name}, func() (err error) { st, err = f.base.Stat(name); return err })
	return st, err
}

// ReadDir is [FS.ReadDir].
func (f *Fault) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = f.run(Call{Op: OpReadDir, Name: name}, func() (err error) { list, err = f.base.ReadDir(name); return err })
	return list, err
}

// Lock is [FS.Lock].
func (f *Fault) Lock(ctx context.Context, name string) (Locked, error) {
	return f.lock(name, func() (Locked, error) { return f.base.Lock(ctx, name) })
}

// TryLock is [FS.TryLock].
func (f *Fault) TryLock(name string) (Locked, error) {
	return f.lock(name, func() (Locked, error) { return f.base.TryLock(name) })
}

func (f *Fault) lock(name string, take func() (Locked, error)) (Locked, error) {
	var l Locked
	err := f.run(Call{Op: OpLock, Name: name}, func() (err error) { l, err = take(); return err })
	if err != nil {
		if l != nil {
			l.Close()
		}
		return nil, err
	}
	return faultLock{l, &faultFile{f, l.File(), name}}, nil
}

type faultLock struct {
	Locked
	f File
}

func (l faultLock) File() File { return l.f }
