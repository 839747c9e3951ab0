package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/engine"
)

var (
	//go:embed clients.py
	clientsPython string
	//go:embed clients.mjs
	clientsNode string
)

// clientsOptions say where the clients are.
type clientsOptions struct {
	*common
	python, modules string
}

// tried is a client that was tried.
type tried struct {
	Client  string `json:"client"`
	Version string `json:"version"`
	Missing bool   `json:"missing"` // it is not installed
	Error   string `json:"error"`
}

// tryClients lets programs that people have ask and change a server: curl,
// SPARQLWrapper and rdflib, Comunica. Those that are not installed are left out.
func tryClients(ctx context.Context, o *clientsOptions) ([]tried, error) {
	manifest := filepath.Join(o.dir, "clients.rete-manifest.json")
	db, err := engine.Init(ctx, manifest, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	p, err := serve(ctx, o.rete, manifest)
	if err != nil {
		return nil, err
	}
	defer p.kill()
	base := p.client.base
	if err := p.client.update(ctx, prologue+"INSERT DATA { :ann :name 'Ann' ; :knows :bob . :bob :name 'Bob' }"); err != nil {
		return nil, err
	}
	list := []tried{tryCurl(ctx, base)}
	list = append(list, script(ctx, "Python", o.python, "-c", clientsPython, base)...)
	modules, err := filepath.Abs(o.modules)
	if err != nil {
		return nil, err
	}
	list = append(list, script(ctx, "Node", "node", "--input-type=module", "-e", clientsNode, base, modules)...)
	rows, err := p.client.query(ctx, prologue+"SELECT ?name { :client :says ?name }")
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		word, _, _ := strings.Cut(c.Client, " ")
		switch {
		case c.Missing:
			fmt.Fprintf(o.out, "%-30s not installed\n", c.Client)
		case c.Error != "":
			fmt.Fprintf(o.out, "%-30s %s FAILS: %s\n", c.Client, c.Version, c.Error)
			err = errors.Join(err, fmt.Errorf("%s: %s", c.Client, c.Error))
		default:
			fmt.Fprintf(o.out, "%-30s %s works\n", c.Client, c.Version)
			if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == `"`+word+`"` }) {
				err = errors.Join(err, fmt.Errorf("%s: what it wrote is not there: %q", c.Client, rows))
			}
		}
	}
	return list, errors.Join(err, p.stop())
}

// clientTime is what a client may take.
const clientTime = 3 * time.Minute

// output runs a program.
func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, clientTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, lastLines(stderr.String(), 10))
	}
	return string(out), err
}

// script runs a script that prints what it tried.
func script(ctx context.Context, title, name string, args ...string) []tried {
	out, err := output(ctx, name, args...)
	if errors.Is(err, exec.ErrNotFound) {
		return []tried{{Client: title, Missing: true}}
	}
	var list []tried
	for line := range strings.Lines(out) {
		var t tried
		if json.Unmarshal([]byte(line), &t) == nil && t.Client != "" {
			list = append(list, t)
		}
	}
	if err != nil {
		list = append(list, tried{Client: title, Error: err.Error()})
	}
	return list
}

// tryCurl asks as the documentation shows it.
func tryCurl(ctx context.Context, base string) tried {
	t := tried{Client: "curl"}
	version, err := output(ctx, "curl", "--version")
	if errors.Is(err, exec.ErrNotFound) {
		t.Missing = true
		return t
	}
	t.Version, _, _ = strings.Cut(strings.TrimPrefix(version, "curl "), " ")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-G", "--data-urlencode", "query=SELECT ?n { ?s <http://ex/name> ?n } ORDER BY ?n", "-H", "Accept: text/csv", base + "/sparql"}, "n\r\nAnn\r\nBob\r\n"},
		{[]string{"--data-urlencode", "query=ASK { ?s <http://ex/name> 'Ann' }", base + "/sparql"}, `"boolean":true`},
		{[]string{"--compressed", "-H", "Content-Type: application/sparql-query", "--data-binary", "CONSTRUCT WHERE { ?s <http://ex/knows> ?o }", base + "/query?format=nt"}, "<http://ex/ann> <http://ex/knows> <http://ex/bob> .\n"},
		{[]string{"--data-urlencode", "update=INSERT DATA { <http://ex/client> <http://ex/says> 'curl' }", base + "/update"}, ""},
		{[]string{"-T", "-", "-H", "Content-Type: text/turtle", base + "/store?graph=http://ex/curl"}, ""},
		{[]string{"-H", "Content-Type: text/turtle", "--data-binary", "<http://ex/a> <http://ex/b> 1 .", base + "/store?graph=http://ex/curl"}, ""},
		{[]string{"-H", "Accept: application/n-triples", base + "/store?graph=http://ex/curl"}, "<http://ex/a> <http://ex/b> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n"},
		{[]string{"-X", "DELETE", base + "/store?graph=http://ex/curl"}, ""},
		{[]string{"-I", base + "/sparql?query=ASK%7B%7D"}, "200 OK"},
	} {
		got, err := output(ctx, "curl", append([]string{"-sS", "--fail-with-body"}, c.args...)...)
		if err == nil && !strings.Contains(got, c.want) {
			err = fmt.Errorf("got %q, want %q", got, c.want)
		}
		if err != nil {
			t.Error = fmt.Sprintf("%q: %v", c.args, err)
			return t
		}
	}
	return t
}
