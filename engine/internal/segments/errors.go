package segments

import (
	"errors"

	"github.com/rete-go/rete/internal/segment"
)

// What can be wrong with a segment besides damage in it.
var (
	// ErrExpired: a segment of the generation that was asked for is gone, and the current
	// generation does not name it: it was collected. A refresh shows the current one.
	ErrExpired = errors.New("snapshot has expired")
	// ErrMissing: a segment that the current generation names is not there. Nothing
	// of rete removes such a file; it must be put back.
	ErrMissing = errors.New("missing segment")
	// ErrWrong: what has the name of a segment is not the one that the manifest
	// pins. It matches the damage sentinel too.
	ErrWrong = segment.ErrWrong
)
