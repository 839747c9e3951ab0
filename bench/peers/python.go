package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
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

// python is an engine in a Python process, which reads a request a line and
// writes an answer a line.
type python struct {
	title, script, path string
	dir, suffix         string // of its store; of its files of rows
	cmd                 *exec.Cmd
	in                  io.WriteCloser
	out                 chan []byte
}

// request is a line to the process.
type request struct {
	Load   string  `json:"load,omitempty"` // a file of N-Triples
	Open   bool    `json:"open,omitempty"` // the store that a process before this one loaded
	Query  string  `json:"query,omitempty"`
	Warm   int     `json:"warm"`
	Runs   int     `json:"runs"`
	Budget float64 `json:"budget"` // seconds
	Rows   string  `json:"rows"`   // the file to write the answer to
}

// response is a line from it.
type response struct {
	Version string    `json:"version"`
	Error   string    `json:"error"`
	Times   []float64 `json:"times"` // seconds
	Graph   bool      `json:"graph"` // the file of rows is N-Triples
}

func (e *python) name() string { return e.title }

func (e *python) load(ctx context.Context, file string) (string, time.Duration, error) {
	if err := os.MkdirAll(e.dir, 0o755); err != nil {
		return "", 0, err
	}
	if err := e.start(); err != nil {
		return "", 0, err
	}
	start := time.Now()
	r, err := e.ask(ctx, request{Load: file}, 0)
	if err != nil {
		return "", 0, err
	}
	return r.Version, time.Since(start), nil
}

// start starts the process.
func (e *python) start() error {
	e.cmd = exec.Command(e.path, "-c", e.script, e.dir)
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
func (e *python) ask(ctx context.Context, r request, limit time.Duration) (*response, error) {
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

func (e *python) query(ctx context.Context, text string, o *options) ([]time.Duration, *answer, error) {
	file := filepath.Join(e.dir, "rows")
	r, err := e.ask(ctx, request{Query: text, Warm: o.warm, Runs: o.runs, Budget: o.budget.Seconds(), Rows: file}, o.limit)
	if err != nil {
		return nil, nil, err
	}
	var times []time.Duration
	for _, s := range r.Times {
		times = append(times, time.Duration(s*1e9))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	suffix := e.suffix
	if r.Graph {
		suffix = "nt"
	}
	a, err := readAnswer(f, suffix)
	if err != nil {
		err = fmt.Errorf("%s: %w", e.title, err)
	}
	return times, a, err
}

func (e *python) close() {
	if e.cmd == nil {
		return
	}
	e.in.Close()
	_ = e.cmd.Process.Kill() // it may have ended
	for range e.out {
	}
	_ = e.cmd.Wait() // killed, so always an error
}
