package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rete-go/rete/internal/vfs"
)

// Mode says when a batch counts as done.
type Mode uint8

// The modes.
const (
	Always   Mode = iota // once it is synced
	Interval             // once it is written; a sync follows within the interval
	Never                // once it is written; the operating system syncs
)

// Options are the choices of [NewWriter].
type Options struct {
	Lineage    string // of the manifest
	Generation int64  // of the manifest
	Sealed     int64  // the last batch of this journal that is in the log
	Mode       Mode
	Interval   time.Duration // of Mode Interval
	// Done is called when batches up to a number count as done, before those that
	// wait for them are told. Calls are serial.
	Done func(last int64)
	// Synced, if not nil, is told of each sync of what was written; calls are serial.
	Synced func(took time.Duration, err error)
	Logger *slog.Logger
}

// position is a place in the journal: after a batch.
type position struct {
	last int64  // its number
	line []byte // its commit line, or the header
	hash uint64
}

// Writer appends to a journal that it owns. Append must not be called
// concurrently; waiting may be.
type Writer struct {
	fs   vfs.FS
	lock *Lock
	opt  Options

	// fileMu guards the file, its size and its names; it is held over writes and
	// syncs. It comes before mu.
	fileMu sync.Mutex
	file   vfs.File
	header Header
	size   atomic.Int64 // up to the end of the last commit line; anybody may read it
	room                // after it

	mu      sync.Mutex // guards what follows, for short times
	end     position   // after the last batch that was appended
	done    position   // after the last one that is written
	synced  int64      // the last one that is on disk
	epoch   int        // counts failures
	group   *group     // batches that wait to be written, nil if none do
	flying  *group     // being written
	leading bool       // somebody has, or is being handed, the task of writing
	poison  error

	stop chan struct{} // ends the sync in the background
	idle sync.WaitGroup
}

// group is the batches that share one write and one sync.
type group struct {
	buf  []byte
	end  position
	lead chan struct{} // holds the task of writing the group
	done chan struct{}
	err  error
}

// ID is the name of the journal.
func (w *Writer) ID() string { return w.header.ID }

// Epoch changes when batches that were appended have failed: a caller that
// builds a batch on them must begin again.
func (w *Writer) Epoch() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.epoch
}

// Err is why the journal takes no more batches, nil if it does.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.poison
}

// Last is the number of the last batch that was appended.
func (w *Writer) Last() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end.last
}

// Size is the length of the current file, without its room and what waits to be written. It waits
// for no write.
func (w *Writer) Size() int64 { return w.size.Load() }

// Append adds a batch of lines to those that wait to be written; body is copied.
// The batch was built on the state of an epoch; after a failure it is refused.
func (w *Writer) Append(epoch int, lines int64, body []byte) (Ticket, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.poison != nil {
		return Ticket{}, fmt.Errorf("%s: %w: %w", w.lock.name, ErrNotWritten, w.poison)
	}
	if epoch != w.epoch {
		return Ticket{}, fmt.Errorf("%s: %w: a batch that it was built on has failed", w.lock.name, ErrNotWritten)
	}
	g := w.group
	if g == nil {
		g = &group{lead: make(chan struct{}, 1), done: make(chan struct{})}
		w.group = g
		if !w.leading {
			w.leading = true
			g.lead <- struct{}{}
		}
	}
	c := commit{number: w.end.last + 1, lines: lines, synced: w.synced, hash: chainHash(w.end.line, body)}
	line := c.append(nil)
	g.buf = append(append(g.buf, body...), line...)
	w.end = position{c.number, line, c.hash}
	g.end = w.end
	return Ticket{w, g, c.number}, nil
}

// Ticket is an appended batch.
type Ticket struct {
	w *Writer
	g *group // nil: it is done
	// Number is the batch's.
	Number int64
}

// Tail is a ticket for all that was appended so far.
func (w *Writer) Tail() Ticket {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.group
	if g == nil {
		g = w.flying
	}
	return Ticket{w, g, w.end.last}
}

// Wait returns when the batch counts as done; one of those that wait writes for
// all. It cannot be cancelled: what is appended is on its way. Errors match
// [ErrNotWritten] or [ErrUnknown].
func (t Ticket) Wait() error {
	if t.g == nil {
		return nil
	}
	select {
	case <-t.g.done:
	case <-t.g.lead:
		t.w.flush()
	}
	return t.g.err
}

// flush writes the group that waits.
func (w *Writer) flush() {
	w.fileMu.Lock()
	defer w.fileMu.Unlock()
	w.mu.Lock()
	g := w.group
	w.group, w.flying = nil, g
	w.mu.Unlock()

	// Another owner may have written where this group would go, and one that came
	// since must find the group, or it is not acknowledged.
	if err := w.lock.Check(); err != nil {
		w.fail(g, fmt.Errorf("%s: %w: %w", w.lock.name, ErrNotWritten, err), nil)
		return
	}
	size := w.size.Load() + int64(len(g.buf))
	if size+maxRoom+block > maxFile { // it could not be read again
		w.fail(g, fmt.Errorf("%s: %w: the file would have more than the %d bytes that are read; seal it first", w.lock.name, ErrNotWritten, maxFile), nil)
		return
	}
	if _, err := w.file.WriteAt(w.extend(g.buf, w.size.Load()), w.size.Load()); err != nil {
		w.none = true
		cut := w.cut()
		w.fail(g, fmt.Errorf("%s: %w: %w", w.lock.name, ErrNotWritten, err), cut)
		return
	}
	if w.opt.Mode == Always {
		if err := w.syncFile(); err != nil {
			w.fail(g, nil, err)
			return
		}
	}
	if err := w.lock.Check(); err != nil {
		w.fail(g, nil, err)
		return
	}
	w.size.Store(size)
	w.mu.Lock()
	w.done = g.end
	if w.opt.Mode == Always {
		w.synced = g.end.last
	}
	w.flying = nil
	w.mu.Unlock()
	if w.opt.Done != nil {
		w.opt.Done(g.end.last)
	}
	close(g.done)
	w.mu.Lock()
	if w.leading = w.group != nil; w.leading {
		w.group.lead <- struct{}{}
	}
	w.mu.Unlock()
}

// cut takes back what a failed write left behind the last commit line. It is
// synced: a whole batch may be among it, which must not come back.
func (w *Writer) cut() error {
	if err := w.file.Truncate(w.size.Load()); err != nil {
		return err
	}
	w.length = w.size.Load()
	return w.file.Sync()
}

// fail ends a group, and all batches that were appended after it, for they are
// built on it. With a poison the outcome of the group is not known.
func (w *Writer) fail(g *group, err, poison error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.epoch++
	w.end = w.done
	w.flying, w.leading = nil, false
	if poison != nil {
		w.poison = fmt.Errorf("%w: %w", ErrPoisoned, poison)
		err = fmt.Errorf("%s: %w: %w", w.lock.name, ErrUnknown, poison)
	}
	g.err = err
	close(g.done)
	if next := w.group; next != nil {
		w.group = nil
		next.err = fmt.Errorf("%s: %w: a batch before it failed: %w", w.lock.name, ErrNotWritten, errors.Unwrap(err))
		close(next.done)
	}
	w.opt.Logger.Error("journal write failed", "journal", w.lock.name, "poisoned", poison != nil, "error", err)
}

// sync brings everything that is written to disk. fileMu is held.
func (w *Writer) sync() error {
	w.mu.Lock()
	upto, clean, poison := w.done.last, w.synced >= w.done.last, w.poison
	w.mu.Unlock()
	if clean || poison != nil {
		return poison
	}
	err := w.syncFile()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.epoch++
		w.poison = fmt.Errorf("%w: %w", ErrPoisoned, err)
		return w.poison
	}
	w.synced = upto
	return nil
}

// syncFile syncs the file, and tells of it. fileMu is held.
func (w *Writer) syncFile() error {
	start := time.Now()
	err := w.file.Sync()
	if w.opt.Synced != nil {
		w.opt.Synced(time.Since(start), err)
	}
	return err
}

// tick syncs now and then.
func (w *Writer) tick() {
	defer w.idle.Done()
	t := time.NewTicker(w.opt.Interval)
	defer t.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-t.C:
			w.fileMu.Lock()
			err := w.sync()
			w.fileMu.Unlock()
			if err != nil {
				w.opt.Logger.Error("journal sync failed", "journal", w.lock.name, "error", err)
				return
			}
		}
	}
}

// Close writes what waits, syncs, marks how far the journal is on disk, and gives the
// ownership back. Nothing may be appended any more.
func (w *Writer) Close() error {
	err := w.Tail().Wait()
	if w.stop != nil {
		close(w.stop)
		w.idle.Wait()
	}
	w.fileMu.Lock()
	defer w.fileMu.Unlock()
	serr := w.sync()
	if serr == nil && w.lock.Check() == nil {
		w.mu.Lock()
		at := w.done
		w.mu.Unlock()
		w.mark(at)
	}
	if err == nil && w.opt.Mode != Never {
		err = serr
	}
	if w.length > w.size.Load() && w.Err() == nil && w.lock.Check() == nil {
		_ = w.file.Truncate(w.size.Load()) // room that stays does no harm
	}
	if cerr := w.file.Close(); err == nil && w.Err() == nil {
		err = cerr
	}
	if cerr := w.lock.Close(); err == nil {
		err = cerr
	}
	return err
}

func randomID() (string, error) {
	var b [16]byte
	_, err := rand.Read(b[:])
	return hex.EncodeToString(b[:]), err
}
