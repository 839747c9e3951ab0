package rdfio

import (
	"errors"
)

// ErrUnknownFormat says that neither the name of a document nor its content tells a syntax.
var ErrUnknownFormat = errors.New("neither the name nor the content tells an RDF format")

// errAfterGzip is of bytes after the last member that do not begin another one.
var errAfterGzip = errors.New("after the last member there is data that is not gzip")
