// Package flags has the flags that several commands share, and refuses those that would have no effect.
package flags

import "fmt"

// UsageError is wrong use of the command line: it ends with exit code 2.
type UsageError struct{ error }

// Unwrap returns the error that it is about.
func (e UsageError) Unwrap() error { return e.error }

// Usage makes an error one of wrong use.
func Usage(err error) error { return UsageError{err} }

// Usagef is [Usage] of [fmt.Errorf].
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }
