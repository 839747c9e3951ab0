package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client talks to one server.
type client struct {
	base string
	http *http.Client
}

func newClient(base string) *client {
	t := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	return &client{base, &http.Client{Transport: t, Timeout: 2 * time.Minute}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// refusal is an answer that says that nothing was done.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %.500s", r.status, r.text) }

// do sends a request and returns the body of a 2xx. An error that is no *refusal
// leaves open what happened.
func (c *client) do(ctx context.Context, method, path, mediaType string, body []byte, accept string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode/100 == 2:
		return text, nil
	case bytes.Contains(text, []byte("unknown-outcome")):
		return nil, fmt.Errorf("status %d: %.500s", resp.StatusCode, text)
	}
	return nil, &refusal{resp.StatusCode, string(text)}
}

// update carries an update out.
func (c *client) update(ctx context.Context, text string) error {
	_, err := c.do(ctx, http.MethodPost, "/update", "application/sparql-update", []byte(text), "")
	return err
}

// query returns the rows of a SELECT, terms as TSV spells them.
func (c *client) query(ctx context.Context, text string) ([][]string, error) {
	body, err := c.do(ctx, http.MethodGet, "/query?query="+url.QueryEscape(text), "", nil, "text/tab-separated-values")
	if err != nil {
		return nil, err
	}
	return readRows(body)
}

// readRows reads the rows of an answer in TSV.
func readRows(body []byte) ([][]string, error) {
	var rows [][]string
	for line := range strings.Lines(string(body)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	if len(rows) == 0 {
		return nil, errors.New("an answer without a head")
	}
	return rows[1:], nil
}

// tend asks for a seal or a compaction.
func (c *client) tend(ctx context.Context, what string) error {
	_, err := c.do(ctx, http.MethodPost, "/admin/"+what, "", nil, "")
	return err
}

// allQuads asks for every quad: graph name, subject, predicate, object.
const allQuads = "SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }"

// quads returns every quad of the graph as one line, the default graph's with an
// empty name.
func (c *client) quads(ctx context.Context) (map[string]bool, error) {
	rows, err := c.query(ctx, allQuads)
	if err != nil {
		return nil, err
	}
	return quadLines(rows)
}

// quadLines joins the rows of allQuads.
func quadLines(rows [][]string) (map[string]bool, error) {
	all := make(map[string]bool, len(rows))
	for _, row := range rows {
		line := strings.Join(row, " ")
		if all[line] {
			return nil, fmt.Errorf("twice in an answer: %s", line)
		}
		all[line] = true
	}
	return all, nil
}
