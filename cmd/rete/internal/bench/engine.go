package bench

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// engine is a program that loads a file into a store and serves it.
type engine struct {
	name    string
	program string // that tells its version by --version
	self    bool   // it is this program
	load    [][]string
	serve   []string
	query   string // path of queries
	update  string // path of updates

	dir     string // of the store
	address string
	cmd     *exec.Cmd
	log     bytes.Buffer
}

// In commands these words stand for the folder of the store, the file of the data, and the address
// with its port.
const (
	wordStore   = "STORE"
	wordData    = "DATA"
	wordAddress = "ADDRESS"
	wordPort    = "PORT"
)

// own is rete, the program that runs.
func own() (*engine, error) {
	program, err := os.Executable()
	return &engine{name: "rete", program: program, self: true, query: "/sparql", update: "/sparql",
		load:  [][]string{{program, "init", wordStore, wordData, "--quiet"}},
		serve: []string{program, "serve", wordStore, "--bind", wordAddress, "--log", "off"}}, err
}

// peers are the other engines, and notes of those of which a program is missing.
func peers() (list []*engine, notes []string) {
	if program, err := exec.LookPath("oxigraph"); err == nil {
		list = append(list, &engine{name: "Oxigraph", program: program, query: "/query", update: "/update",
			load:  [][]string{{program, "load", "--location", wordStore, "--file", wordData}},
			serve: []string{program, "serve", "--location", wordStore, "--bind", wordAddress}})
	} else {
		notes = append(notes, "Oxigraph: no oxigraph on PATH")
	}
	loader, err := exec.LookPath("tdb2.tdbloader")
	if err != nil {
		return list, append(notes, "Jena: no tdb2.tdbloader on PATH")
	}
	fuseki, err := exec.LookPath("fuseki-server")
	if err != nil {
		return list, append(notes, "Jena: tdb2.tdbloader is on PATH, and no fuseki-server, which serves what it loads")
	}
	return append(list, &engine{name: "Jena", program: loader, query: "/ds/query", update: "/ds/update",
		load:  [][]string{{loader, "--loader=parallel", "--loc", wordStore, wordData}},
		serve: []string{fuseki, "--tdb2", "--loc=" + wordStore, "--port=" + wordPort, "--localhost", "--update", "/ds"}}), notes
}

// command is a command of the engine, which ends with the context.
func (e *engine) command(ctx context.Context, words []string, data string) *exec.Cmd {
	_, port, _ := net.SplitHostPort(e.address)
	replace := strings.NewReplacer(wordStore, e.dir, wordData, data, wordAddress, e.address, wordPort, port)
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = replace.Replace(w)
	}
	c := exec.CommandContext(ctx, words[0], args[1:]...)
	if e.self {
		c.Args[0] = "rete"
	}
	c.WaitDelay = time.Second
	return c
}

// version is the first line that the program says of its version, without its name.
func (e *engine) version(ctx context.Context) string {
	out, err := e.command(ctx, []string{e.program, "--version"}, "").Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	words := strings.Fields(line)
	if err != nil || len(words) == 0 {
		return "unknown"
	}
	if strings.EqualFold(words[0], e.name) {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

// fill loads the data into a store, and returns the bytes of its files.
func (e *engine) fill(ctx context.Context, data string) (int64, error) {
	for _, words := range e.load {
		if out, err := e.command(ctx, words, data).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s %s: %w: %s", filepath.Base(words[0]), words[1], err, lastLine(out))
		}
	}
	var size int64
	err := filepath.WalkDir(e.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// lastLine is what a program said at the end.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// startLimit is how long a server may take until it answers.
const startLimit = 2 * time.Minute

// start starts the server and returns when it has answered.
func (e *engine) start(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	e.address = l.Addr().String()
	l.Close()
	e.cmd = e.command(ctx, e.serve, "")
	e.log.Reset()
	e.cmd.Stdout, e.cmd.Stderr = &e.log, &e.log
	if err := e.cmd.Start(); err != nil {
		e.cmd = nil
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- e.cmd.Wait() }()
	c := client{engine: e, limit: startLimit}
	defer c.close()
	for begin := time.Now(); ; {
		if _, _, err = c.query(ctx, "ASK { ?s ?p ?o }"); err == nil {
			go func() { <-ended }()
			return nil
		}
		select {
		case err := <-ended:
			e.cmd = nil
			return fmt.Errorf("the server ended: %v: %s", err, lastLine(e.log.Bytes()))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(begin) > startLimit {
			return fmt.Errorf("no answer in %v: %w", startLimit, err)
		}
	}
}

// stop ends the server.
func (e *engine) stop() {
	if e.cmd != nil {
		_ = e.cmd.Process.Kill() // it may have ended
		e.cmd = nil
	}
}
