package build

import (
	"errors"
)

// errTooManyTerms is more terms than 32-bit numbers can name.
var errTooManyTerms = errors.New("segment: too many distinct terms for one segment")

// errNoReader: a document to read is nil.
var errNoReader = errors.New("segment: the reader is nil")
