package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// wire is one kept connection to a server, used by one goroutine. Compared with it the
// client of net/http, which hands each request to two more goroutines, costs as much as the
// server does, and it is the server that is measured.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	host string
	out  []byte
}

func dial(base string) (*wire, error) {
	host := strings.TrimPrefix(base, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReader(conn), host: host}, nil
}

// update carries an update out.
func (w *wire) update(text string) error {
	_, err := w.post("/update", "application/sparql-update", text)
	return err
}

// post sends a text to a path and returns the body of the answer.
func (w *wire) post(path, mediaType, text string) ([]byte, error) {
	w.out = fmt.Appendf(w.out[:0], "POST %s HTTP/1.1\r\nHost: %s\r\nAccept: application/sparql-results+json, */*;q=0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		path, w.host, mediaType, len(text), text)
	if _, err := w.conn.Write(w.out); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = &refusal{resp.StatusCode, string(body)}
	}
	return body, err
}
