// Package blob is the only way to bytes: named objects that are read by
// ranges, and stores that hold them. It knows nothing of what the bytes mean.
//
// An [Object] is one immutable sequence of bytes, opened at one moment; if what
// lies behind its name is replaced later, reads fail with [ErrChanged] rather
// than mix two files. A [Store] opens, writes and lists objects: a directory
// ([NewLocal]), web servers ([NewHTTPWith]), or both by name
// ([NewMux]); [Probe] tells whether one that is not known keeps the conditions of
// writes. Conditional writes have three outcomes, never two: done, not done
// ([ErrExists], [ErrConditionFailed] or another definite error), and
// [ErrUnknownOutcome].
//
// Everything here may be used by several goroutines at once.
package blob

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/rete-go/rete/internal/damage"
)

// Range is Len bytes from offset Off.
type Range struct{ Off, Len int64 }

// Object is one open object.
type Object interface {
	// Name is the full name by which errors call the object: a path or a URL.
	Name() string
	// Size is the number of bytes at the time of opening.
	Size() int64
	// Validator is a strong validator of these bytes if the store has one
	// for free, else "".
	Validator() string
	// ReadRanges fills bufs[i], whose length is rs[i].Len, with the bytes of
	// rs[i], all of them or an error. Ranges may come in any order and may
	// overlap; one outside the object is an error. An implementation joins
	// neighbours and asks for several at a time, so callers put all they need
	// into one call.
	ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error
	// Close lets go of the object. Closing twice is safe.
	Close() error
}

// Info is one line of a listing.
type Info struct {
	Name    string // as [Store.Open] takes it
	Size    int64
	ModTime time.Time
}

// Store holds objects by name. Names are slash-separated and relative to the
// store's place, or absolute where the store says so.
type Store interface {
	// Open opens an object for reading.
	Open(ctx context.Context, name string) (Object, error)
	// ReadAll returns a whole object and its validator, which fits [IfMatch];
	// an object of more than max bytes is an error.
	ReadAll(ctx context.Context, name string, max int64) (data []byte, validator string, err error)
	// Put writes a whole object under a condition, at once: readers find the
	// old bytes or the new ones. It returns the new validator. The outcomes
	// are those of the package comment.
	Put(ctx context.Context, name string, data []byte, cond Cond) (validator string, err error)
	// Create begins a new object, which appears under its name when the
	// writer commits.
	Create(ctx context.Context, name string) (Writer, error)
	// Remove deletes an object.
	Remove(ctx context.Context, name string) error
	// List returns the objects of one directory whose names begin with
	// prefix, in the order of names.
	List(ctx context.Context, prefix string) ([]Info, error)
}

// Writer takes the bytes of a new object. One of Commit and Abort ends it;
// after a failed Commit nothing is left, unless the error is
// [ErrUnknownOutcome]. Abort after Commit does nothing, so it can be deferred.
type Writer interface {
	io.Writer
	// SetName gives the object another name, as long as it is not committed: names that hold a
	// hash are known at the end. It keeps the place that Create was given: of name only what
	// follows its last slash counts.
	SetName(name string)
	// Commit makes the object durable and gives it its name. A name that was
	// taken meanwhile is [ErrExists].
	Commit(ctx context.Context) error
	// Abort throws the bytes away.
	Abort() error
}

// Cond is the condition of a Put. The zero value is none.
type Cond struct {
	absent bool
	match  string
}

// IfAbsent lets a Put succeed only if the name is free, else [ErrExists].
func IfAbsent() Cond { return Cond{absent: true} }

// IfMatch lets a Put succeed only if the object there has this validator, else
// [ErrConditionFailed].
func IfMatch(validator string) Cond { return Cond{match: validator} }

// Absent reports whether c is [IfAbsent].
func (c Cond) Absent() bool { return c.absent }

// Match returns the validator of [IfMatch], else "".
func (c Cond) Match() string { return c.match }

// ReadAt fills p from offset off of o: ReadRanges for one range.
func ReadAt(ctx context.Context, o Object, p []byte, off int64) error {
	return o.ReadRanges(ctx, []Range{{off, int64(len(p))}}, [][]byte{p})
}

// checkRanges refuses ranges outside an object and buffers of other lengths.
func checkRanges(name string, size int64, rs []Range, bufs [][]byte) error {
	if len(rs) != len(bufs) {
		return fmt.Errorf("%s: %d ranges for %d buffers", name, len(rs), len(bufs))
	}
	for i, r := range rs {
		if r.Len != int64(len(bufs[i])) {
			return fmt.Errorf("%s: buffer of %d bytes for a range of %d", name, len(bufs[i]), r.Len)
		}
		if r.Off < 0 || r.Len < 0 || r.Off > size || r.Len > size-r.Off {
			return &damage.Error{Object: name, Offset: r.Off,
				Detail: fmt.Sprintf("%d bytes wanted, the object has %d in all", r.Len, size)}
		}
	}
	return nil
}
