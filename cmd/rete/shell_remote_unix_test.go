//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestShellOfURLs: the shell on a segment, a manifest and the folder of a graph on a web server, which
// takes no writes.
func TestShellOfURLs(t *testing.T) {
	dir := exampleData(t)
	for _, line := range [][]string{
		{"build", "people.ttl", "-o", "people.rete"},
		{"init", "team", "people.ttl", "companies.trig"},
		{"add", "team", "moved.ttl", "--dels", "gone.nt", "--note", "moved"},
	} {
		if out, err := command(t, dir, append(line, "-q")...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", line, err, out)
		}
	}
	web := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer web.Close()
	for _, c := range []struct {
		url, prompt string
		history     bool
	}{
		{web.URL + "/people.rete", `people\.rete> `, false},
		{web.URL + "/team/team.rete-manifest.json", `team> `, true},
		{web.URL + "/team/", `team> `, true},
	} {
		s := onShell(t, dir, c.url)
		next := `[\s\S]*` + c.prompt
		s.expect(`\.help tells` + next)
		s.send("SELECT ?n { ?p foaf:na\t")
		s.expect(`foaf:name`)
		s.send(" ?n } ORDER BY ?n LIMIT 2\r")
		s.expect(`Ann\s+Bob\s+2 rows` + next)
		s.send(".schema\r")
		s.expect(`foaf:Person\s+4` + next)
		s.send("INSERT DATA { <http://ex/a> <http://ex/b> 1 }\r")
		s.expect(`error: ` + next)
		s.send(".log\r")
		if !c.history {
			s.expect(`error: a segment and documents have no history` + next)
		} else {
			s.expect(`2 .*moved\s+1 ` + next)
			s.send(".diff ~1\r")
			s.expect(`\+\s+:bob\s+:worksFor\s+:holding` + next)
			s.send(".at 1\r")
			s.expect(`generation 1[\s\S]*team at 1> `)
			s.send("ASK { ?p <http://example.org/worksFor> <http://example.org/holding> }\r")
			s.expect(`false[\s\S]*team at 1> `)
		}
		s.leave()
	}
}
