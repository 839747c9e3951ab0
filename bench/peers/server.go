package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// server is the server of an engine: a process that is asked over one connection.
type server struct {
	title   string
	path    string // of the SPARQL endpoint
	updates string // path of updates; "": it takes none
	loading [][]string
	serving []string // with ADDRESS and PORT in it
	version func(ctx context.Context) string

	address string
	cmd     *exec.Cmd
	conn    net.Conn
	used    time.Time // when the connection was used last
	in      *bufio.Reader
	request []byte
	body    bytes.Buffer
}

// load commands have this word where the file of data stands.
const dataFile = "DATA"

func (s *server) name() string { return s.title }

func (s *server) configuration() string {
	var words []string
	for _, w := range s.serving {
		if strings.ContainsRune(w, filepath.Separator) {
			w = filepath.Base(w)
		}
		words = append(words, w)
	}
	return "`" + strings.Join(words, " ") + "`"
}

func (s *server) load(ctx context.Context, file string) (string, error) {
	if err := s.fill(ctx, file); err != nil {
		return "", err
	}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	return s.version(ctx), nil
}

// fill runs the commands that load a file.
func (s *server) fill(ctx context.Context, file string) error {
	for _, c := range s.loading {
		args := append([]string(nil), c...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], dataFile, file)
		}
		if err := command(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// command runs a command to its end.
func command(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(args[0]), err, bytes.TrimSpace(out))
	}
	return nil
}

// start starts the process and waits until it answers.
func (s *server) start(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.address = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(s.address)
	var args []string
	for _, a := range s.serving {
		args = append(args, strings.NewReplacer("ADDRESS", s.address, "PORT", port).Replace(a))
	}
	log, err := os.CreateTemp("", "peers-*.log")
	if err != nil {
		return err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.cmd = nil
		return err
	}
	ask := &query{text: "ASK { }", limit: 10 * time.Second}
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if _, _, err = s.query(ctx, ask, true); err == nil || errors.As(err, new(*refusal)) {
			return nil
		}
		if time.Since(begin) > time.Minute {
			text, _ := os.ReadFile(log.Name()) // for the message alone
			s.close()
			return fmt.Errorf("%s does not answer: %w\n%s", s.title, err, text)
		}
	}
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return fmt.Sprintf("%d: %.300s", e.status, e.text) }

// idle is the time after which a connection is not kept: servers close those that
// nobody uses.
const idle = time.Second

func (s *server) query(ctx context.Context, r *query, want bool) (time.Duration, *answer, error) {
	if time.Since(s.used) > idle {
		s.hangUp()
	}
	if s.conn == nil {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			return 0, nil, err
		}
		s.conn, s.in = conn, bufio.NewReaderSize(conn, 1<<16)
	}
	took, status, err := s.exchange(r)
	s.used = time.Now()
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		// What still runs there would disturb the next query.
		s.close()
		if err := s.start(ctx); err != nil {
			return 0, nil, err
		}
		return 0, nil, errLimit
	case err != nil:
		s.hangUp()
		return 0, nil, r.late(took, err)
	case status/100 != 2:
		return 0, nil, r.late(took, &refusal{status, s.body.String()})
	case !want:
		return took, nil, nil
	}
	a, err := readAnswer(&s.body, r.graph)
	return took, a, r.late(took, err)
}

// late is what an error means after so long: a server that has begun its answer when its
// time is over breaks it off.
func (r *query) late(took time.Duration, err error) error {
	if err != nil && took >= r.limit {
		return errLimit
	}
	return err
}

// exchange sends the request and reads the whole response into body.
func (s *server) exchange(r *query) (time.Duration, int, error) {
	accept, path, kind := "application/sparql-results+json", s.path, "query"
	switch {
	case r.graph:
		accept = "application/n-triples"
	case r.update:
		accept, path, kind = "*/*", s.updates, "update"
	}
	s.request = fmt.Appendf(s.request[:0], "POST %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\nContent-Type: application/sparql-%s\r\nContent-Length: %d\r\n\r\n%s",
		path, s.address, accept, kind, len(r.text), r.text)
	s.body.Reset()
	start := time.Now()
	if err := s.conn.SetDeadline(start.Add(r.limit + r.limit/4)); err != nil {
		return 0, 0, err
	}
	if _, err := s.conn.Write(s.request); err != nil {
		return 0, 0, err
	}
	acknowledgeAtOnce(s.conn)
	resp, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return 0, 0, err
	}
	_, err = io.Copy(&s.body, resp.Body)
	took := time.Since(start)
	resp.Body.Close()
	if resp.Close {
		s.hangUp()
	}
	return took, resp.StatusCode, err
}

func (s *server) hangUp() {
	if s.conn != nil {
		s.conn.Close()
		s.conn = nil
	}
}

func (s *server) close() {
	s.hangUp()
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()         // killed, so always an error
		s.cmd = nil
	}
}
