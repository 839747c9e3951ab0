package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// client asks an engine over a connection that is kept.
type client struct {
	engine *engine
	limit  time.Duration // of a request
	http   http.Client
}

// answer is what of an answer is compared: rows, and the value of a single one.
type answer struct {
	rows  int
	value string
}

// query asks a query and returns its time up to the last byte.
func (c *client) query(ctx context.Context, text string) (time.Duration, *answer, error) {
	took, body, err := c.post(ctx, c.engine.query, "application/sparql-query", text)
	if err != nil {
		return 0, nil, err
	}
	a, err := read(body)
	return took, a, err
}

// update changes something and returns the time.
func (c *client) update(ctx context.Context, text string) (time.Duration, error) {
	took, _, err := c.post(ctx, c.engine.update, "application/sparql-update", text)
	return took, err
}

func (c *client) post(ctx context.Context, path, kind, text string) (time.Duration, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.engine.address+path, strings.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Accept", "application/sparql-results+json")
	begin := time.Now()
	res, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	took := time.Since(begin)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", res.Status, lastLine(body))
	}
	return took, body, err
}

func (c *client) close() { c.http.CloseIdleConnections() }

// read reads SPARQL results in JSON.
func read(body []byte) (*answer, error) {
	var res struct {
		Boolean *bool
		Results struct {
			Bindings []map[string]struct{ Value string }
		}
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&res); err != nil {
		return nil, err
	}
	a := &answer{rows: len(res.Results.Bindings)}
	if a.rows == 1 {
		for _, cell := range res.Results.Bindings[0] {
			a.value = cell.Value
		}
	}
	return a, nil
}
