package server

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql"
)

// Causes for which the context of a request ends.
var (
	errTime     = errors.New("the time of the query is over")
	errEnded    = errors.New("the query was ended by an administrator")
	errShutdown = errors.New("the server is stopping")
)

// errClientGone ends a request whose client does not listen any more. It has no
// problem document, as nobody would read it.
var errClientGone = errors.New("the client is gone")

// errReadOnly refuses a change to a store that has none.
var errReadOnly = problem(http.StatusForbidden, "read-only", "Read-only database",
	"this server serves a database that cannot be changed through it")

// errBody marks a body that ends before its time, or is not what its coding says.
var errBody = errors.New("the body could not be read")

// problemOf returns the problem that an error is for the client.
func problemOf(ctx context.Context, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	if errors.Is(err, rete.ErrUnknownOutcome) { // also where the time was over
		return unknownOutcome(err)
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(err, errTime), ctx.Err() != nil && cause == errTime:
		return problem(http.StatusGatewayTimeout, "timeout", "Time limit exceeded", "the query took longer than it may; ask for less, or raise the limit")
	case errors.Is(err, errEnded), ctx.Err() != nil && cause == errEnded:
		return problem(http.StatusServiceUnavailable, "ended", "Query ended", errEnded.Error())
	case errors.Is(err, errShutdown), ctx.Err() != nil && cause == errShutdown:
		p := problem(http.StatusServiceUnavailable, "shutdown", "Server stopping", errShutdown.Error())
		p.retry = 5
		return p
	}
	if p := requestProblem(err); p != nil {
		return p
	}
	return storeProblem(err)
}

func unknownOutcome(err error) *Problem {
	return problem(http.StatusInternalServerError, "unknown-outcome", "Outcome unknown", err.Error())
}

// requestProblem returns the problem if it lies in the request.
func requestProblem(err error) *Problem {
	var (
		query     *sparql.SyntaxError
		data      *rdf.SyntaxError
		invalid   *rdf.InvalidError
		operation *sparql.OperationError
		format    *rdf.InexpressibleError
		tooLarge  *document.TooLargeError
		bodySize  *http.MaxBytesError
	)
	switch {
	case errors.As(err, &operation):
		p := *operationProblem(operation, errors.Is(err, errLoad))
		p.Detail = fmt.Sprintf("operation %d: %s", operation.Operation, p.Detail)
		if p.Line == 0 {
			p.Line, p.Column = operation.Line, operation.Column
		}
		return &p
	case errors.As(err, &query):
		p := problem(http.StatusBadRequest, "syntax", "Syntax error", query.Error())
		p.Line, p.Column = query.Line, query.Column
		return p
	case errors.As(err, &data):
		p := problem(http.StatusBadRequest, "data", "Malformed data", data.Error())
		p.Line, p.Column = data.Line, data.Column
		return p
	case errors.As(err, &invalid) && invalid.TooLarge:
		return problem(http.StatusRequestEntityTooLarge, "too-large", "Too large", invalid.Error())
	case errors.As(err, &invalid):
		return problem(http.StatusBadRequest, "data", "Malformed data", invalid.Error())
	case errors.As(err, &format):
		return problem(http.StatusNotAcceptable, "not-acceptable", "Not acceptable", format.Error()+"; ask for another format")
	case errors.As(err, &tooLarge):
		return problem(http.StatusRequestEntityTooLarge, "too-large", "Too large", tooLarge.Error())
	case errors.As(err, &bodySize):
		return problem(http.StatusRequestEntityTooLarge, "too-large", "Too large", fmt.Sprintf("the body has more than %d bytes", bodySize.Limit))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem(http.StatusRequestTimeout, "slow", "Body too slow", "nothing of the body came for too long")
	case errors.Is(err, errBody), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum),
		errors.Is(err, zstd.ErrMagicMismatch), errors.Is(err, zstd.ErrCRCMismatch):
		return problem(http.StatusBadRequest, "body", "Malformed body", err.Error())
	case errors.Is(err, sparql.ErrEndpoint):
		return problem(http.StatusBadRequest, "endpoint", "No endpoint", err.Error())
	case errors.Is(err, sparql.ErrGraphExists):
		return problem(http.StatusBadRequest, "graph-exists", "Graph exists", err.Error())
	case errors.Is(err, sparql.ErrNoGraph):
		return problem(http.StatusNotFound, "graph", "No such graph", err.Error())
	}
	return nil
}

// operationProblem returns the problem of an operation of an update. What is wrong
// with a document that it loads is not the fault of the request.
func operationProblem(o *sparql.OperationError, loading bool) *Problem {
	err := o.Err
	p := problemOf(context.Background(), err)
	var data *rdf.SyntaxError
	switch {
	case errors.As(err, &data) || loading && (p.Status == http.StatusInternalServerError || p.Status == http.StatusBadRequest):
		return problem(http.StatusBadGateway, "remote", "LOAD failed", err.Error())
	case o.Refused && p.Status == http.StatusInternalServerError:
		return problem(http.StatusBadRequest, "operation", "Operation refused", err.Error())
	}
	return p
}

// storeProblem returns the problem of an error that is not the request's fault.
func storeProblem(err error) *Problem {
	var (
		memory  *sparql.MemoryError
		spill   *sparql.SpillError
		service *sparql.ServiceError
	)
	switch {
	case errors.As(err, &memory), errors.As(err, &spill), errors.Is(err, sparql.ErrTextTooLong), errors.Is(err, stats.ErrMemory):
		return problem(http.StatusUnprocessableEntity, "memory", "Memory limit exceeded", err.Error())
	case errors.Is(err, errHost), errors.Is(err, sparql.ErrNoLoad):
		return problem(http.StatusForbidden, "remote", "Remote host not allowed", err.Error())
	case errors.As(err, &service):
		return problem(http.StatusBadGateway, "remote", "SERVICE failed", service.Error())
	case errors.Is(err, errLoad), errors.Is(err, document.ErrScheme):
		return problem(http.StatusBadGateway, "remote", "LOAD failed", err.Error())
	case errors.Is(err, rete.ErrConflict):
		return problem(http.StatusPreconditionFailed, "conflict", "State has moved", err.Error())
	case errors.Is(err, engine.ErrNoGeneration):
		return problem(http.StatusNotFound, "generation", "No such generation", err.Error())
	case errors.Is(err, engine.ErrOwned):
		p := problem(http.StatusServiceUnavailable, "owned", "Written by another process", err.Error())
		p.retry = 5
		return p
	case errors.Is(err, blob.ErrReadOnly):
		return errReadOnly
	case errors.Is(err, engine.ErrExpired):
		p := problem(http.StatusServiceUnavailable, "expired", "Snapshot expired", err.Error())
		p.retry = 1
		return p
	case errors.Is(err, engine.ErrMissingSegment):
		return problem(http.StatusInternalServerError, "missing-segment", "Segment missing", err.Error())
	case errors.Is(err, engine.ErrWrongSegment):
		return problem(http.StatusInternalServerError, "wrong-segment", "Wrong segment", err.Error())
	case errors.Is(err, rete.ErrDamaged):
		return problem(http.StatusInternalServerError, "damaged", "Damaged data", err.Error())
	}
	if why := vfs.Full(err); why != "" {
		return problem(http.StatusInsufficientStorage, "space", "No space left", "at the server "+why)
	}
	return problem(http.StatusInternalServerError, "internal", "Internal error", err.Error())
}

var (
	// errHost refuses a host that is not in Options.Hosts.
	errHost = errors.New("the host is not one that SERVICE and LOAD may ask")
	// errLoad marks a document that LOAD could not get.
	errLoad = errors.New("the document is not to be had")
)
