package blob

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/damage"
)

// ErrClosed matches the errors of an object or a writer that is used after its end; so does
// fs.ErrClosed. It is rete.ErrClosed.
var ErrClosed = closed.Err

var errClosed = fmt.Errorf("%w: %w", ErrClosed, fs.ErrClosed)

// Errors that callers act on; all others are of the disk, the network or the
// server and name the object.
var (
	// ErrNotFound: there is no object of that name.
	ErrNotFound = errors.New("no such object")
	// ErrNoBucket: there is no object of that name, since its bucket is missing. It matches
	// ErrNotFound.
	ErrNoBucket = fmt.Errorf("no such bucket: %w", ErrNotFound)
	// ErrDenied: the server lets nobody have an object of that name, or not this client.
	// Some stores say so of names that are not there.
	ErrDenied = errors.New("access denied")
	// ErrExists: a write that wanted a free name found it taken.
	ErrExists = errors.New("object exists already")
	// ErrConditionFailed: a write with [IfMatch] found another object, or
	// none; nothing was written by this request.
	ErrConditionFailed = errors.New("object is not the expected one")
	// ErrUnknownOutcome: the write may or may not have happened, or it has
	// happened and may not survive a crash. Read before deciding anything,
	// and delete nothing.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrNotDurable: the object is in place, or may be, but the disk did not
	// confirm it and a crash may undo it; reading it again proves nothing. It
	// matches ErrUnknownOutcome.
	ErrNotDurable = fmt.Errorf("not confirmed by the disk: %w", ErrUnknownOutcome)
	// ErrBusy: nothing was written because the store is contended or
	// throttled; the same request may work a little later.
	ErrBusy = errors.New("store is busy")
	// ErrReadOnly: the store cannot write.
	ErrReadOnly = errors.New("store is read-only")
	// ErrChanged: the object was replaced or truncated after it was opened.
	// It matches the damage sentinel of the module.
	ErrChanged = fmt.Errorf("object changed while it was read: %w", damage.Err)
)

// ErrProtocol: a server did not do what a range request asks of it; the error
// says what it did. Nothing of the answer was used.
var ErrProtocol = errors.New("bad answer from the server")

var (
	errStalled = errors.New("the server sends nothing any more")
	errSlow    = errors.New("the server is too slow")
)
