// Package ownership keeps a local manifest, and each journal, in the hands of one
// process at a time.
//
// The owner of a manifest M holds the lock on M.changes.lock, wherever its journal is.
// A journal J that is not M.changes has a lock of its own, J.lock, which the owner
// holds too: another manifest could name the same file. Lock files are never removed,
// follow the umask, and tell every user which process holds them. What lets a command
// hand its work to the owner, a control token above all, is in M.changes.owner, which
// the owner's user alone can read.
//
// Versions before this one held the lock on J.lock alone and kept the note in it. With
// the journal next to the manifest that is the same lock, and else one of the two, so
// that old and new processes keep each other out; a note of an old owner is read too.
//
// The locks alone decide. Notes, process ids and host names are for messages: a process
// id may have been given again, or be one of another container.
package ownership

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/rete-go/rete/internal/vfs"
)

const (
	journalSuffix = ".changes" // after the manifest: the journal next to it
	lockSuffix    = ".lock"    // after the journal
	noteSuffix    = ".owner"   // after the journal next to the manifest
)

// Lock is the ownership of a manifest and its journal.
type Lock struct {
	fs     vfs.FS
	record record
	base   string       // what the note is next to
	held   []vfs.Locked // the manifest's, and the journal's if it is another one

	announced bool // there may be a note
}

// turn is held while a lock file is locked and written, and while one that is locked is
// read, so that two databases of one process know each other.
var turn sync.Mutex

// Take takes the ownership of a manifest and its journal, or fails with an
// [OwnedError] and has taken nothing. Without a manifest, which a remote one is here,
// it is the journal alone that is owned.
func Take(fsys vfs.FS, manifest, journal string) (*Lock, error) {
	l := &Lock{fs: fsys, record: newRecord(), base: base(manifest, journal)}
	names := []string{l.base, journal}
	if journal == l.base {
		names = names[:1]
	}
	for i, name := range names {
		if err := l.take(name, i == 0, cmp.Or(manifest, journal)); err != nil {
			l.release()
			return nil, err
		}
	}
	fsys.Remove(l.note()) // of an owner that died; best effort, for it is known as such
	return l, nil
}

// TakeWithin is [Take] that waits for an owner which does not serve others, and so will
// soon be done.
func TakeWithin(ctx context.Context, fsys vfs.FS, manifest, journal string, wait time.Duration) (*Lock, error) {
	for until := time.Now().Add(wait); ; {
		lock, err := Take(fsys, manifest, journal)
		var owned *OwnedError
		if !errors.As(err, &owned) || owned.Serves() || time.Now().After(until) {
			return lock, err
		}
		timer := time.NewTimer(20*time.Millisecond + rand.N(180*time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// base is the name next to which the lock file and the note of a manifest are.
func base(manifest, journal string) string {
	if manifest == "" {
		return journal
	}
	return manifest + journalSuffix
}

// takeTries is how often a lock is tried whose holder has left nothing: one that has just
// taken it, or only looks whether it is free.
const takeTries = 10

// take takes one lock and writes the record into its file.
func (l *Lock) take(name string, first bool, what string) error {
	turn.Lock()
	defer turn.Unlock()
	file := name + lockSuffix
	for try := 1; ; try++ {
		held, err := l.fs.TryLock(file)
		if errors.Is(err, vfs.ErrLocked) {
			owned := read(l.fs, name)
			if owned.Name = what; !first { // its owner serves another manifest
				owned.Name, owned.Note, owned.Unread = name, owned.Note.public(), nil
			}
			if owned.Note != nil || try == takeTries {
				return owned
			}
			time.Sleep(time.Millisecond)
			continue
		}
		if err == nil {
			l.held = append(l.held, held)
			err = write(held.File(), l.record)
		}
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBADF) {
			err = fmt.Errorf("%s: %w: a user who writes must be able to write the lock file", file, fs.ErrPermission)
		}
		return err
	}
}

// Announce tells other processes where the owner can be asked to write, and what they
// must show there.
func (l *Lock) Announce(n Note) error {
	r := l.record
	r.Note = n
	r.PID, r.Host = cmp.Or(n.PID, l.record.PID), cmp.Or(n.Host, l.record.Host)
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return err
	}
	l.announced = true
	if _, err := vfs.WritePrivate(l.fs, l.note(), append(text, '\n')); err != nil {
		return err
	}
	r.Token, r.Certificate = "", ""
	return write(l.held[0].File(), r)
}

func (l *Lock) note() string { return l.base + noteSuffix }

// Check returns nil as long as nobody else can be the owner, and an error that matches
// [vfs.ErrLockLost] once a lock file has been removed or replaced.
func (l *Lock) Check() error {
	for _, h := range l.held {
		if err := h.Held(); err != nil {
			return err
		}
	}
	return nil
}

// Close gives the ownership back and takes the note away. Closing twice is safe.
func (l *Lock) Close() error {
	if l.Check() == nil { // else they are another owner's
		if l.announced {
			l.fs.Remove(l.note()) // best effort: without the lock it says nothing
		}
		for _, h := range l.held {
			h.File().Truncate(0)
		}
	}
	return l.release()
}

func (l *Lock) release() error {
	var err error
	for _, h := range slices.Backward(l.held) {
		err = cmp.Or(err, h.Close())
	}
	l.held = nil
	return err
}

// write replaces what a lock file says, or leaves nothing.
func write(f vfs.File, r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	if err == nil {
		err = f.Truncate(int64(len(text) + 1))
	}
	if err != nil {
		f.Truncate(0) // best effort: one that is torn is none
	}
	return err
}

// Owner returns what the owner of a manifest left for others, nil if it has none, or
// has left nothing.
func Owner(fsys vfs.FS, manifest, journal string) *OwnedError {
	name := base(manifest, journal)
	if st, err := fsys.Stat(name + lockSuffix); err != nil || st.Size() == 0 {
		return nil // never owned, or given back
	}
	turn.Lock()
	defer turn.Unlock()
	held, err := fsys.TryLock(name + lockSuffix)
	if err == nil {
		held.File().Truncate(0) // its owner died
		held.Close()
		return nil
	}
	if !errors.Is(err, vfs.ErrLocked) {
		return nil
	}
	owned := read(fsys, name)
	owned.Name = cmp.Or(manifest, journal)
	return owned
}

// hostname is for messages: a process id says nothing without it.
var hostname = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})
