package tile

import (
	"errors"
)

// ErrOrder is returned by a [Writer] for a row that does not ascend, or that
// holds the id 0.
var ErrOrder = errors.New("tile: rows do not ascend")
