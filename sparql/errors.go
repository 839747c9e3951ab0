package sparql

import (
	"errors"
	"fmt"

	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/value"
)

// ErrClosed matches the errors of what is used after its end: rows and triples that were
// read or closed, a query that was closed, a snapshot or transaction that has ended under
// a query. It is rete.ErrClosed.
var ErrClosed = closed.Err

// Errors of operations, which SILENT forgives.
var (
	// ErrGraphExists: CREATE of a graph that has a quad.
	ErrGraphExists = errors.New("the graph exists")
	// ErrNoGraph: ADD, MOVE or COPY from a graph without quads.
	ErrNoGraph = errors.New("there is no such graph")
	// ErrNoLoad: LOAD, and no option says how documents are opened.
	ErrNoLoad = errors.New("LOAD is not enabled for this update")
)

var errRead = fmt.Errorf("sparql: this answer was read before, or %w", ErrClosed)

// ErrEndpoint: a query has a SERVICE whose endpoint is unbound or not an IRI, and which
// is not SILENT.
var ErrEndpoint = plan.ErrEndpoint

// ErrTextTooLong: an expression makes a text of more than 256 MiB.
var ErrTextTooLong = value.ErrTextTooLong

// What is said where a program gives nil.
var (
	errNoQuery  = errors.New("sparql: the query is nil")
	errNoUpdate = errors.New("sparql: the update is nil")
)

// MemoryError says that a query needs more memory than its limit: which
// operator asked, what is held, and the limit.
//
// As it is declared:
//
//	type MemoryError struct {
//	    Op          string // the operator that asked
//	    Asked, Held int64  // bytes
//	    Limit       int64
//	    // Process: the limit is that of all queries, not that of one.
//	    Process bool
//	}
//
//	// Error implements error.
//	func (e *MemoryError) Error() string
type MemoryError = mem.Error

// SpillError says that a query needs more temporary files than its bound.
//
// As it is declared:
//
//	type SpillError struct {
//	    Op    string
//	    Limit int64 // bytes
//	}
//
//	// Error implements error.
//	func (e *SpillError) Error() string
type SpillError = mem.SpillError
