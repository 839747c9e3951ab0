package folder

import "errors"

// ErrInUse: a file belongs to a graph, so that nothing else may be written to it.
var ErrInUse = errors.New("in use")
