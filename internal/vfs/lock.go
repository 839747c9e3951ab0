package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// lockTries is how often a lock file may be removed between its opening and its
// locking before TryLock gives up.
const lockTries = 100

// TryLock locks a file that still has its name when it is locked: one that was
// removed in between would keep nobody out.
func (osFS) TryLock(name string) (Locked, error) {
	for range lockTries {
		l, err := lockOnce(name)
		if err == nil || !errors.Is(err, ErrLockLost) {
			return l, err
		}
	}
	return nil, fmt.Errorf("%s: %w", name, ErrLockLost)
}

func lockOnce(name string) (Locked, error) {
	f, err := openRegular(name, os.O_RDWR|os.O_CREATE)
	if errors.Is(err, fs.ErrPermission) { // to lock it, reading is enough
		if ro, rerr := openRegular(name, os.O_RDONLY); rerr == nil {
			f, err = ro, nil
		}
	}
	if err != nil {
		return nil, err
	}
	l := &osLock{f: f, name: name}
	if l.st, err = f.Stat(); err == nil {
		err = tryLockFile(f)
	}
	switch {
	case err == nil:
		err = l.Held()
	case errors.Is(err, ErrLocked):
		err = fmt.Errorf("%s: %w", name, ErrLocked)
	default:
		err = &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// Lock polls: a blocking flock cannot be ended by a context without leaving a
// thread behind. The wait between two tries grows from 1 to 20 ms.
func (o osFS) Lock(ctx context.Context, name string) (Locked, error) {
	return pollLock(ctx, name, o.TryLock)
}

func pollLock(ctx context.Context, name string, try func(string) (Locked, error)) (Locked, error) {
	const most = 20 * time.Millisecond
	for wait := time.Millisecond; ; wait = min(2*wait, most) {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("waiting for the lock %s: %w", name, err)
		}
		l, err := try(name)
		if err == nil || !errors.Is(err, ErrLocked) {
			return l, err
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
}

type osLock struct {
	f    *os.File
	name string
	st   fs.FileInfo
	once sync.Once
	err  error
}

func (l *osLock) File() File { return l.f }

// Held compares the file that is locked with the one that has the name now.
func (l *osLock) Held() error {
	st, err := os.Stat(l.name)
	switch {
	case err == nil && os.SameFile(st, l.st):
		return nil
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", l.name, ErrLockLost)
	}
	return err
}

// Close closes the file, which gives the lock back on every system.
func (l *osLock) Close() error {
	l.once.Do(func() { l.err = l.f.Close() })
	return l.err
}
