// Package hostile is a table of requests that ask a server for more than their share: of
// memory, of time, of depth. Tests send them, each in a small size that costs little and in a
// large one, and see that the server keeps to its limits, whatever it answers.
//
// The requests are made, not stored, as they are sent. They ask about [Data], and what the
// updates and documents among them insert has the predicate [Predicate].
package hostile

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Predicate is that of all statements which the requests of the table insert.
const Predicate = "urn:hostile:made"

// Victim is the graph that updates of the table may empty. A test fills it anew with
// [VictimData].
const Victim = "urn:hostile:victim"

// Input is a request.
type Input struct {
	Name string
	// Path is that of the URL, with its query.
	Path string
	// Media and Coding are the Content-Type and the Content-Encoding.
	Media, Coding string
	// Body makes the body of a size.
	Body func(size int) io.Reader
	// Small and Large are sizes: of n rows, steps, levels, or bytes.
	Small, Large int
	// Right are the statuses that are right besides 504, which is for all that takes long.
	Right []int
	// Declared, if not zero, is the Content-Length, whatever the body has; below zero, there
	// is none.
	Declared int64
	// Endless says that the rest of the body does not come: the client is to leave.
	Endless bool
}

// Writes reports whether the request may change the store.
func (in *Input) Writes() bool { return in.Path != queryPath }

// Inputs returns the table. loads is the address of a server of [Loads].
func Inputs(loads string) []Input {
	var all []Input
	all = append(all, queries()...)
	all = append(all, updates(loads)...)
	return append(all, documents()...)
}

// Request makes the request of a size, to a server at an address.
func (in *Input) Request(ctx context.Context, server string, size int) (*http.Request, error) {
	body := in.Body(size)
	if in.Endless {
		body = join(body, waiting{ctx})
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server+in.Path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", in.Media)
	if in.Coding != "" {
		r.Header.Set("Content-Encoding", in.Coding)
	}
	r.ContentLength = -1
	if in.Declared != 0 {
		r.ContentLength = in.Declared
	}
	return r, nil
}

// Data returns the N-Triples of the graph that the requests ask about: dense edges among few
// nodes, numbers, and some long texts.
func Data() string {
	var b strings.Builder
	for i := range 120 {
		for k := range 25 {
			fmt.Fprintf(&b, "<urn:s%d> <urn:p> <urn:s%d> .\n", i, (i*7+k*k)%120)
		}
		fmt.Fprintf(&b, "<urn:s%d> <urn:q> <urn:s%d> .\n", i, (i+1)%120)
	}
	for i := range 3000 {
		fmt.Fprintf(&b, "<urn:s%d> <urn:n> %q^^<http://www.w3.org/2001/XMLSchema#integer> .\n", i, fmt.Sprint(i%500))
	}
	for i := range 20 {
		fmt.Fprintf(&b, "<urn:t%d> <urn:t> %q .\n", i, strings.Repeat("a", 20_000)+fmt.Sprint(i))
	}
	return b.String()
}

// VictimData returns the N-Triples of the graph Victim.
func VictimData() string {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "<urn:v%d> <urn:v> \"%d\" .\n", i%300, i)
	}
	return b.String()
}
