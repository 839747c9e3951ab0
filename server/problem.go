package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// Problem is an error as a client gets it: a problem document (RFC 9457).
type Problem struct {
	// Type is a URN that programs can tell the problem by, "urn:rete:problem:" and
	// one of the words of docs/server.md.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Line and Column say where in the text of the request it is, from 1.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// QueryID is what the log calls the query.
	QueryID string `json:"query_id,omitempty"`
	// Acceptable lists the media types that there are, if none was acceptable.
	Acceptable []string `json:"acceptable,omitempty"`

	// Scope is what the token of the request lacks, of a 403.
	Scope string `json:"scope,omitempty"`

	// allow lists the methods that there are, of a 405.
	allow string
	// retry is when to try again, in seconds; 0 says nothing.
	retry int
}

const problemPrefix = "urn:rete:problem:"

// problem makes a Problem of a word, a status and what happened.
func problem(status int, word, title, detail string) *Problem {
	return &Problem{Type: problemPrefix + word, Title: title, Status: status, Detail: detail}
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Title + ": " + p.Detail
}

// write answers with the problem. Nothing may have been written before.
func (p *Problem) write(w http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)              // IRIs are full of <
	if err := e.Encode(p); err != nil { // strings and numbers cannot fail
		http.Error(w, p.Title, p.Status)
		return
	}
	h := w.Header()
	for _, name := range []string{"ETag", "Content-Encoding", "Content-Disposition"} {
		h.Del(name)
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	if p.allow != "" {
		h.Set("Allow", p.allow)
	}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	w.WriteHeader(p.Status)
	if r.Method != http.MethodHead {
		w.Write(body.Bytes()) // a client that is gone is seen elsewhere
	}
}

// busy is the problem of what may work some seconds later.
func busy(seconds int, detail string) *Problem {
	p := problem(http.StatusServiceUnavailable, "busy", "Server busy", detail)
	p.retry = seconds
	return p
}

// badParameter is the problem of a parameter of the request.
func badParameter(detail string) *Problem {
	return problem(http.StatusBadRequest, "parameter", "Bad parameter", detail)
}

// wrongMethod is the problem of a method that the resource does not have.
func wrongMethod(r *http.Request, allow string) *Problem {
	p := problem(http.StatusMethodNotAllowed, "method", "Method not allowed",
		r.Method+" is not one of "+allow)
	p.allow = allow
	return p
}

// noSuch is the problem of a resource that is not there.
func noSuch(detail string) *Problem {
	return problem(http.StatusNotFound, "not-found", "Not found", detail)
}
