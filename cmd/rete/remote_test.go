package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
)

// TestRemoteCommands: every reading command says of the URL of a graph or of a segment what
// it says of their paths, federate of both mixed, and a server follows what it serves.
func TestRemoteCommands(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	rete := func(args ...string) string {
		t.Helper()
		out, err := limited(t, dir, "rete", args...).CombinedOutput()
		if err != nil {
			t.Errorf("rete %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	rete("build", "-q", "people.ttl", "-o", "people.rete")
	rete("manifest", "init", "-q", "g.rete-manifest.json", "people.rete")
	rete("manifest", "add", "-q", "g.rete-manifest.json", "--adds", "companies.trig")
	rete("init", "-q", "team", "people.ttl")
	web := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer web.Close()
	for _, command := range [][]string{{"query", "ASK { ?s ?p ?o }"}, {"log"}, {"status"}, {"stats"}, {"info"}, {"dump"}} {
		ask := func(name string) string { return rete(slices.Concat(command[:1], []string{name}, command[1:])...) }
		if got, want := plain(ask(web.URL+"/team/")), plain(ask(web.URL+"/team/team.rete-manifest.json")); got != want {
			t.Errorf("rete %s of a remote folder:\n%swant\n%s", command[0], got, want)
		}
	}
	const graph, segment = "g.rete-manifest.json", "people.rete"
	const count = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
	for _, command := range [][]string{
		{"info", graph}, {"info", segment}, {"verify", segment}, {"dump", graph}, {"dump", segment},
		{"query", graph, count}, {"query", segment, count}, {"query", "--at", "1", graph, count},
		{"federate", graph, segment, count}, {"diff", graph, "1..2"}, {"log", graph}, {"log", "--json", graph},
		{"status", "--count", "--full", graph}, {"stats", graph}, {"stats", segment}, {"card", graph}, {"card", segment},
	} {
		far := make([]string, len(command))
		for i, arg := range command {
			if far[i] = arg; arg == graph || arg == segment {
				far[i] = web.URL + "/" + arg
			}
		}
		want, got := rete(command...), strings.ReplaceAll(rete(far...), web.URL+"/", "")
		if plain(got) != plain(want) {
			t.Errorf("rete %s of URLs:\n%swant\n%s", strings.Join(command, " "), got, want)
		}
		if command[0] == "federate" {
			far[1] = graph
			if got := rete(far...); got != want {
				t.Errorf("federate of a path and a URL:\n%swant\n%s", got, want)
			}
		}
	}

	address := startServed(t, dir, web.URL+"/"+graph, "--bind", "127.0.0.1:0", "--log", "off")
	served := func() string {
		res, err := http.Get(strings.TrimSuffix(address, "/") + "/sparql?query=" + url.QueryEscape("ASK { <http://ex/new> ?p ?o }"))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got := served(); !strings.Contains(got, "false") {
		t.Errorf("before the commit: %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "new.nt"), []byte("<http://ex/new> <http://ex/p> <http://ex/o> .\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rete("manifest", "add", "-q", graph, "--adds", "new.nt")
	for start := time.Now(); !strings.Contains(served(), "true"); time.Sleep(50 * time.Millisecond) {
		if time.Since(start) > processTime {
			t.Fatal("the server does not follow the manifest")
		}
	}
}

// plain is an answer without what differs by the place: how a segment was checked, and the
// width of columns.
func plain(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		kept = append(kept, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(kept, "\n")
}

// TestFolderAddress: an address without a slash at its end, where nothing is, is told what a folder's has.
func TestFolderAddress(t *testing.T) {
	missing := fmt.Errorf("g: %w", blob.ErrNotFound)
	for name, told := range map[string]bool{"s3://b/team": true, "http://h/team": true, "s3://b/team/": false,
		"s3://b/g.rete-manifest.json": false, "s3://b/a.rete": false, "team": false} {
		if err := noManifest(name, missing); strings.HasSuffix(err.Error(), "ends with a slash, as in "+name+"/") != told || !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{"s3://b/team": fmt.Errorf("%w: %w", rete.ErrMissingSegment, missing), "http://h/team?key=1": missing} {
		if got := noManifest(name, err); got != err {
			t.Errorf("%s: %v", name, got)
		}
	}
	bucket := fmt.Errorf("s3://b/team: %w (404 Not Found)", blob.ErrNoBucket)
	if err := noManifest("s3://b/team", bucket); !errors.Is(err, blob.ErrNotFound) || strings.Contains(err.Error(), "slash") || !strings.Contains(err.Error(), "no such bucket") {
		t.Error(err)
	}
	if err := noManifest("s3://b/team", blob.ErrBusy); err != blob.ErrBusy {
		t.Error(err)
	}
}
