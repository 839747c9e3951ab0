package cancel

import (
	"context"
	"errors"
)

// Why returns the error of a call whose context has ended as one that matches both the error of
// the context and its cause, whichever of the two the call has met. Other errors stay as they are,
// as does one without a cause of its own.
//
// Calls of users pass their errors through it where they return.
func Why(ctx context.Context, err error) error {
	if err == nil || ctx == nil {
		return err
	}
	ended := ctx.Err()
	if ended == nil {
		return err
	}
	cause := context.Cause(ctx)
	switch met, known := errors.Is(err, ended), errors.Is(err, cause); {
	case met && !known:
		return &both{err, cause, err.Error() + ": " + cause.Error()}
	case known && !met:
		return &both{err, ended, err.Error()}
	}
	return err
}

// both is an error that matches another one too.
type both struct {
	error
	other error
	text  string
}

// Error implements error.
func (b *both) Error() string { return b.text }

// Unwrap has [errors.Is] and [errors.As] find either.
func (b *both) Unwrap() []error { return []error{b.error, b.other} }
