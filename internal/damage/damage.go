// Package damage holds the one sentinel by which every room of the module says
// that stored bytes are not what they must be.
//
// A caller asks errors.Is(err, damage.Err) and gets the answer to "is my data
// hurt?" whatever room found it. The engine and the root package re-export Err.
package damage

import (
	"errors"
	"fmt"
)

// Err matches every error that reports damaged, truncated, foreign or
// unexpectedly replaced bytes.
var Err = errors.New("damaged data")

// Error says which object is hurt, where, and what was found. It matches [Err].
type Error struct {
	Object string // file name or URL; "" where the decoder knows no name
	Part   string // section or unit inside the object: "header", "SPO tile 17"
	Offset int64  // byte offset in the object or in the part; -1 if unknown
	Detail string // what was expected and what was found
	// Kind is a sentinel that says more than [Err], nil if there is none. Its text takes
	// the place of "damaged".
	Kind error
}

// New returns an *Error without object and offset; the caller that knows them
// adds them with [In].
func New(part, format string, args ...any) *Error {
	return &Error{Part: part, Offset: -1, Detail: fmt.Sprintf(format, args...)}
}

// In names the object of a damage error that does not have one yet. Other
// errors are returned unchanged.
func In(object string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.Object == "" {
		c := *e
		c.Object = object
		return &c
	}
	return err
}

// Error returns one line: object, part, offset and detail.
func (e *Error) Error() string {
	s := "damaged"
	if e.Kind != nil {
		s = e.Kind.Error()
	}
	if e.Object != "" {
		s = e.Object + ": " + s
	}
	if e.Part != "" {
		s += " " + e.Part
	}
	if e.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	return s + ": " + e.Detail
}

// Unwrap gives Kind.
func (e *Error) Unwrap() error { return e.Kind }

// Is makes errors.Is(err, Err) true for every *Error.
func (e *Error) Is(target error) bool { return target == Err }
