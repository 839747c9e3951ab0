// Package closed holds the one sentinel by which every room of the module says that
// something was used after its end.
//
// A caller asks errors.Is(err, closed.Err), whatever it was: a database, a snapshot, a
// view or a cursor of one, a transaction, rows, a segment. The rooms export it as their
// ErrClosed.
package closed

import "errors"

// Err matches every error of a use after the end: after Close, after the function
// returned that something was for, or where what is read once is read again.
var Err = errors.New("closed")
