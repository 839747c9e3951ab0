package build

import (
	"errors"
)

// ErrMemory is a build that needs more than [BuildOptions.MaxMemory].
var ErrMemory = errors.New("segment: build needs more memory than it may use")

// errTooManyTerms is more terms than 32-bit numbers can name.
var errTooManyTerms = errors.New("segment: too many distinct terms for one segment")
