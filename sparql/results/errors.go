package results

import (
	"errors"
	"fmt"

	"github.com/rete-go/rete/internal/closed"
)

// ErrSyntax is wrapped by the errors of answers that are malformed, cut off
// among them.
var ErrSyntax = errors.New("malformed results")

// ErrState is wrapped by the error of a call that comes at the wrong time: a
// row before the head, a row of another width, anything after the end.
var ErrState = errors.New("results: call out of order")

// errEnded matches rete.ErrClosed, too.
var errEnded = fmt.Errorf("%w: the answer has ended: %w", ErrState, closed.Err)
