package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// wire is one kept connection to a server, used by one goroutine. Beside it the
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
	w.out = fmt.Appendf(w.out[:0], "POST /update HTTP/1.1\r\nHost: %s\r\nContent-Type: application/sparql-update\r\nContent-Length: %d\r\n\r\n%s", w.host, len(text), text)
	if _, err := w.conn.Write(w.out); err != nil {
		return err
	}
	resp, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = &refusal{resp.StatusCode, string(body)}
	}
	return err
}
