package dict

import (
	"errors"
)

// ErrOrder is returned by a [Writer] for a term that does not ascend.
var ErrOrder = errors.New("dict: terms do not ascend")

// ErrChunk is returned by a [Writer] for terms that are too long for a chunk.
var ErrChunk = errors.New("dict: chunk too large")

// errFull is returned by a [Writer] for one term more than 32 bits can count.
var errFull = errors.New("dict: more than 4294967295 terms in a section")
