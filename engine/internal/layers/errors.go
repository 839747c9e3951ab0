package layers

import (
	"errors"
)

// ErrRespelledNames says that a predicate or a graph name of a segment is not
// spelled canonically: its orders are not those of the canonical names, so the
// segment can be no layer as it is.
var ErrRespelledNames = errors.New("engine: a predicate or graph name is not spelled canonically")
