// Package input finds and opens the RDF documents that a command line names: files, folders,
// patterns such as data/*.ttl, pipes, standard input and web addresses. Every command that
// reads documents reads them through it.
//
// [Store] builds documents into a segment that can be queried, and keeps it under the hash of
// their content.
package input

import (
	"errors"
	"fmt"
)

// ErrGraph says that a name is a graph, where documents are wanted.
var ErrGraph = errors.New("it is a graph, not a document")

// ErrNone says that a folder or a pattern names no document.
var ErrNone = errors.New("no RDF document")

func named(name string, err error, format string, args ...any) error {
	return fmt.Errorf("%s: %w%s", name, err, fmt.Sprintf(format, args...))
}
