package manifest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rete-go/rete/blob"
)

// CommitError says how a commit ended that was not done. It matches
// [ErrConflict] or [ErrUnknownOutcome], whichever it was, and its cause.
type CommitError struct {
	Manifest string // full name
	ID       string // of the commit
	Attempts int
	Outcome  error // ErrConflict or ErrUnknownOutcome
	Cause    error
}

func (e *CommitError) Error() string {
	return fmt.Sprintf("%s: %v (commit %s, %d attempts): %v", e.Manifest, e.Outcome, e.ID, e.Attempts, e.Cause)
}

// Unwrap gives the outcome and the cause.
func (e *CommitError) Unwrap() []error { return []error{e.Outcome, e.Cause} }

// CommitOptions is how to commit. The zero value and nil work.
type CommitOptions struct {
	// IfGeneration makes the commit fail with ErrConflict unless the manifest
	// has this generation.
	IfGeneration *int64
	// Note is recorded as the reason.
	Note string
	// Attempts bounds how often a lost race is run again. Default 100.
	Attempts int
	// Time bounds all attempts together. Default 60 s.
	Time time.Duration
	// Rand gives the commit id; nil is the system's randomness.
	Rand io.Reader
	// Now gives the time of the commit; nil is the clock.
	Now func() time.Time

	names []Entry   // that the commit adds: opened before its time begins
	keeps bool      // no quad is changed
	on    *Manifest // whose quads the commit is made on; nil for whatever there is
}

func (o *CommitOptions) withDefaults() CommitOptions {
	var c CommitOptions
	if o != nil {
		c = *o
	}
	if c.Attempts <= 0 {
		c.Attempts = 100
	}
	if c.Time <= 0 {
		c.Time = time.Minute
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Change makes the next manifest out of the current one, which is the
// function's own to change and return. It is called again for each attempt,
// with what is there then. Generation, commit id, recent commits, previous, time
// and note are filled in after it. A nil manifest commits nothing.
type Change func(cur *Manifest) (*Manifest, error)

// Commit replaces the manifest by what change makes of it, if nobody else
// commits in between; else it begins again on the new state. It returns the
// manifest that was committed, or the current one if there was nothing to
// commit. An error of change is returned as it is.
func (f *File) Commit(ctx context.Context, opt *CommitOptions, change Change) (*Manifest, error) {
	o := opt.withDefaults()
	id, err := NewID(o.Rand)
	if err != nil {
		return nil, err
	}
	t := &transaction{f: f, opt: o, id: id}
	if err := t.prove(ctx, o.names); err != nil {
		return nil, err
	}
	if err := f.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer f.turn.Unlock()
	if err := f.trust(ctx); err != nil {
		return nil, err
	}
	if o.keeps {
		f.keep(id)
	}
	return t.run(ctx, func(ctx context.Context) (*Manifest, error) { return t.attempt(ctx, change) })
}

// Trust probes a remote store, once, before the first write to it. The error matches
// [blob.ErrReadOnly] if the store cannot be trusted with commits.
func (f *File) Trust(ctx context.Context) error {
	if err := f.turn.Lock(ctx); err != nil {
		return err
	}
	defer f.turn.Unlock()
	return f.trust(ctx)
}

// trust is Trust with the turn held.
func (f *File) trust(ctx context.Context) error {
	if f.trusted || !blob.IsRemote(f.name) {
		return nil
	}
	if err := blob.Probe(ctx, f.place, f.NextTo(".probe-")); err != nil {
		return fmt.Errorf("%s: not committed: %w", f.name, err)
	}
	f.trusted = true
	return nil
}

// run makes attempts until one of them settles the matter, or time or attempts run out.
func (t *transaction) run(ctx context.Context, attempt func(context.Context) (*Manifest, error)) (*Manifest, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.Time)
	defer cancel()
	for {
		t.attempts++
		start := time.Now()
		m, err := attempt(ctx)
		if err == nil || !errors.Is(err, errAgain) {
			return m, t.final(err)
		}
		if t.attempts >= t.opt.Attempts {
			return nil, t.final(err)
		}
		if err := Pause(ctx, t.attempts, err, time.Since(start)); err != nil {
			return nil, t.final(fmt.Errorf("%w: %w", errAgain, err))
		}
	}
}

// again marks errors that a later attempt may better: those of a store that is busy, or of
// which it is not known what it has done. A disk that does not confirm is none of them.
func again(err error) error {
	if errors.Is(err, blob.ErrNotDurable) || !errors.Is(err, blob.ErrBusy) && !errors.Is(err, blob.ErrUnknownOutcome) {
		return err
	}
	return fmt.Errorf("%w: %w", errAgain, err)
}

// reading marks an error of reading that a later attempt may better, as long as it is not known
// whether an earlier request has committed: only reading can tell.
func (t *transaction) reading(err error) error {
	var invalid *Error
	if t.unknown == nil || errors.As(err, &invalid) || errors.Is(err, ErrVersion) || errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return fmt.Errorf("%w: %w", errAgain, err)
}

// errAgain marks an attempt that a later one may better.
var errAgain = errors.New("lost the race")

// transaction is one commit with one id for all its attempts.
type transaction struct {
	f        *File
	opt      CommitOptions
	id       string
	attempts int
	base     int64           // generation of the first attempt's base
	based    bool            // base is known
	proven   map[string]bool // segments that were opened
	sent     bool            // a request went out that may have committed
	unknown  error           // why it is not known whether one did; nil if it is
	pending  string          // the validator that a request of unknown outcome carried
}

// attempt reads, looks for an earlier attempt's commit, builds and swaps.
func (t *transaction) attempt(ctx context.Context, change Change) (*Manifest, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return nil, t.reading(err)
	}
	if !t.based {
		t.base, t.based = cur.Generation, true
	}
	if t.sent {
		done, err := t.find(ctx, cur)
		if err != nil || done {
			return cur.Manifest, err
		}
	}
	if g := t.opt.IfGeneration; g != nil && cur.Generation != *g {
		return nil, &CommitError{t.f.name, t.id, t.attempts, ErrConflict,
			fmt.Errorf("generation %d was asked for, the manifest is at %d", *g, cur.Generation)}
	}
	if t.opt.on != nil {
		if err := t.f.since(t.opt.on, cur.Manifest); err != nil {
			return nil, &CommitError{t.f.name, t.id, t.attempts, ErrConflict, err}
		}
	}
	next, err := change(cur.Clone())
	if err != nil {
		return nil, err
	}
	if next == nil {
		return cur.Manifest, nil
	}
	if err := cur.conditional(t.f.name); err != nil {
		return nil, err
	}
	if err := t.prove(ctx, next.without(cur.Log)); err != nil {
		return nil, err
	}
	if next, err = t.sign(ctx, cur, next); err != nil {
		return nil, err
	}
	return t.swap(ctx, cur.validator, next)
}

// current returns the manifest that an attempt changes. What this File has committed last, and has
// archived, need not be read for a commit on it: the condition of its write shows whether it is
// still there.
func (t *transaction) current(ctx context.Context) (Stored, error) {
	if a := t.f.ahead; t.attempts == 1 && t.opt.on != nil && a != nil && a.of.validator != "" && a.of.Same(t.opt.on) {
		if <-a.done; a.err == nil {
			return a.of, nil
		}
	}
	return t.f.read(ctx, t.f.name)
}

// conditional says why a commit on s could not be conditional; nil if it can.
func (s *Stored) conditional(name string) error {
	if s.validator == "" {
		return fmt.Errorf("%s: the server gives no strong ETag, so a commit could not be conditional: %w", name, blob.ErrReadOnly)
	}
	return nil
}

// swap puts a signed manifest in the place of the one that has a validator.
func (t *transaction) swap(ctx context.Context, validator string, next *Manifest) (*Manifest, error) {
	out, err := t.f.encode(next)
	if err != nil {
		return nil, err
	}
	t.sent = true
	now, err := t.f.place.Put(ctx, t.f.name, out, blob.IfMatch(validator))
	switch {
	case err == nil:
		t.f.archiveAhead(ctx, Stored{next, out, now})
		return next, nil
	case errors.Is(err, blob.ErrNotDurable):
		// The disk lies in pieces: looking again would only show the page
		// cache, so nobody can tell before the next restart.
		t.unknown = err
		return nil, err
	case errors.Is(err, blob.ErrUnknownOutcome):
		t.unknown, t.pending = err, validator
		return nil, fmt.Errorf("%w: %w", errAgain, err)
	case errors.Is(err, blob.ErrConditionFailed), errors.Is(err, blob.ErrNotFound), errors.Is(err, blob.ErrBusy):
		return nil, fmt.Errorf("%w: %w", errAgain, err)
	}
	return nil, err
}

// sign archives the current manifest and fills in what every commit records.
func (t *transaction) sign(ctx context.Context, cur Stored, next *Manifest) (*Manifest, error) {
	previous, err := t.f.archive(ctx, cur)
	if err != nil {
		return nil, again(err)
	}
	next.Generation = cur.Generation + 1
	next.Commit = t.id
	next.Recent = append(next.Recent, RecentCommit{t.id, next.Generation})
	next.Recent = next.Recent[max(0, len(next.Recent)-MaxRecent):]
	next.Previous = previous
	next.At = t.opt.Now().UTC().Truncate(time.Millisecond)
	next.Note = t.opt.Note
	if next.Lineage == "" {
		if next.Lineage, err = NewID(t.opt.Rand); err != nil {
			return nil, err
		}
	}
	if next.Sealed == nil {
		next.Sealed = map[string]int64{}
	}
	if err := next.Validate(); err != nil {
		return nil, fmt.Errorf("%s: not committed: %w", t.f.name, err)
	}
	return next, nil
}

// find looks for a commit of this transaction in the manifest and, where its
// list of recent commits does not reach back far enough, in the archives.
func (t *transaction) find(ctx context.Context, cur Stored) (bool, error) {
	for m := cur; ; {
		if m.Commit == t.id || m.remembers(t.id) {
			return true, nil
		}
		if m.coversFrom(t.base + 1) {
			if cur.validator != t.pending {
				t.unknown = nil // whatever is still on its way will find its condition broken
			}
			return false, nil
		}
		old, err := t.f.ReadArchive(ctx, m.Generation-1)
		if errors.Is(err, blob.ErrNotFound) {
			if t.unknown == nil && !blob.IsRemote(t.f.name) {
				return false, nil // every request had a definite answer
			}
			t.unknown = fmt.Errorf("generation %d is not archived any more, it may have been this commit: %w", m.Generation-1, err)
			return false, t.unknown
		}
		if err != nil {
			return false, t.reading(err)
		}
		m = old
	}
}

func (m *Manifest) remembers(id string) bool {
	for _, r := range m.Recent {
		if r.ID == id {
			return true
		}
	}
	return false
}

// coversFrom reports whether the recent commits are known without a gap from a
// generation on. Another program may have kept the list and added none of its own.
func (m *Manifest) coversFrom(generation int64) bool {
	if m.Generation < generation {
		return true
	}
	have := map[int64]bool{}
	for _, r := range m.Recent {
		have[r.Generation] = true
	}
	for g := generation; g <= m.Generation; g++ {
		if !have[g] {
			return false
		}
	}
	return true
}

// final names the outcome of a transaction that ends with err.
func (t *transaction) final(err error) error {
	var done *CommitError
	switch {
	case err == nil, errors.As(err, &done) && t.unknown == nil:
		return err
	case t.unknown != nil:
		t.f.doubt.Store(true)
		cause := t.unknown
		if !errors.Is(err, cause) {
			cause = fmt.Errorf("%w; later: %w", cause, err)
		}
		return &CommitError{t.f.name, t.id, t.attempts, ErrUnknownOutcome, cause}
	case errors.Is(err, errAgain):
		return &CommitError{t.f.name, t.id, t.attempts, ErrConflict, err}
	}
	return err
}

// NewID draws 128 bits as 32 hex digits from r; nil is the system's randomness.
func NewID(r io.Reader) (string, error) {
	if r == nil {
		r = rand.Reader
	}
	var b [16]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return "", fmt.Errorf("drawing a commit id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
