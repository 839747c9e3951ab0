package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

var (
	//go:embed oxigraph.py
	oxigraphScript string
	//go:embed prior.py
	priorScript string
)

// child is an engine inside a process of another language, which reads a request a
// line and writes an answer a line.
type child struct {
	title   string
	union   bool     // the default graph is that of all graphs
	args    []string // the command, to which the folder of the store is added
	dir     string   // of its store
	loading [][]string
	program string // the name of a source that the command runs, in the folder
	source  []byte
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     chan []byte
}

// request is a line to the process.
type request struct {
	Load  string `json:"load,omitempty"`  // a file of N-Triples or N-Quads
	Open  bool   `json:"open,omitempty"`  // the store that a process before this one loaded
	Query string `json:"query,omitempty"` //
	Rows  string `json:"rows,omitempty"`  // a file to write the answer to
	Union bool   `json:"union,omitempty"` // of all graphs is the default graph
}

// response is a line from it.
type response struct {
	Version string  `json:"version"`
	Error   string  `json:"error"`
	Time    float64 `json:"time"` // seconds
}

func (e *child) name() string { return e.title }

func (e *child) configuration() string {
	if e.loading != nil {
		return "in a Java process, JSON or N-Triples into memory"
	}
	return "in a Python process, JSON or N-Triples into memory"
}

func (e *child) load(ctx context.Context, file string) (string, error) {
	if err := os.MkdirAll(e.dir, 0o755); err != nil {
		return "", err
	}
	open := request{Load: file}
	if e.loading != nil {
		s := server{loading: e.loading}
		if err := s.fill(ctx, file); err != nil {
			return "", err
		}
		if err := place(e.dir, e.program, e.source); err != nil {
			return "", err
		}
		open = request{Open: true}
	}
	if err := e.start(); err != nil {
		return "", err
	}
	r, err := e.ask(ctx, open, 0)
	if err != nil {
		return "", err
	}
	return r.Version, nil
}

// start starts the process.
func (e *child) start() error {
	e.cmd = exec.Command(e.args[0], append(e.args[1:len(e.args):len(e.args)], e.dir)...)
	e.cmd.Stderr = os.Stderr
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := e.cmd.Start(); err != nil {
		e.cmd = nil
		return err
	}
	lines := make(chan []byte)
	e.out = lines
	go func() {
		defer close(lines)
		s := bufio.NewScanner(out)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			lines <- append([]byte(nil), s.Bytes()...)
		}
	}()
	return nil
}

// ask sends a request; a limit of 0 is none. After the limit the process is
// another one.
func (e *child) ask(ctx context.Context, r request, limit time.Duration) (*response, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := e.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	select {
	case text, ok := <-e.out:
		if !ok {
			return nil, errors.New("the process ended")
		}
		var got response
		if err := json.Unmarshal(text, &got); err != nil {
			return nil, err
		}
		if got.Error != "" {
			return nil, errors.New(got.Error)
		}
		return &got, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-late:
		e.close()
		if err := e.start(); err != nil {
			return nil, err
		}
		if _, err := e.ask(ctx, request{Open: true}, 0); err != nil {
			return nil, err
		}
		return nil, errLimit
	}
}

func (e *child) query(ctx context.Context, q *query, want bool) (time.Duration, *answer, error) {
	req := request{Query: q.text, Union: e.union}
	if want {
		req.Rows = filepath.Join(e.dir, "rows")
	}
	r, err := e.ask(ctx, req, q.limit)
	if err != nil {
		return 0, nil, err
	}
	took := time.Duration(r.Time * 1e9)
	if !want {
		return took, nil, nil
	}
	f, err := os.Open(req.Rows)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	a, err := readAnswer(f, q.graph)
	return took, a, err
}

func (e *child) close() {
	if e.cmd == nil {
		return
	}
	e.in.Close()
	_ = e.cmd.Process.Kill() // it may have ended
	for range e.out {
	}
	_ = e.cmd.Wait() // killed, so always an error
	e.cmd = nil
}
