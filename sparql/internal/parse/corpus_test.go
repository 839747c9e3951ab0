package parse_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// realQueries returns the queries that people published, by id.
func realQueries(t testing.TB) map[string]string {
	t.Helper()
	f, err := os.Open(reteshared.Path(t, "data", "real", "sparql-examples", "sparql-examples.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	queries := map[string]string{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q struct{ ID, Query string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		queries[q.ID] = q.Query
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return queries
}

func TestRealQueries(t *testing.T) {
	queries := realQueries(t)
	if len(queries) != 458 {
		t.Errorf("%d queries, want 458", len(queries))
	}
	for id, text := range queries {
		t.Run(id, func(t *testing.T) {
			if err := parseQuery(t, text, &ast.Options{Strict: true}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReportedCases reads the texts of SPARQL among the faults that were
// reported of other engines.
func TestReportedCases(t *testing.T) {
	b, err := os.ReadFile(reteshared.Path(t, "cases", "reported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Prefixes map[string]string
		Base     string
		Cases    []struct {
			Symptom, Query, Update string
			Want                   any
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	opt := &ast.Options{Base: file.Base, Prefixes: map[string]string{}}
	for name, ns := range file.Prefixes {
		opt.Prefixes[strings.TrimSuffix(name, ":")] = ns
	}
	read := 0
	for _, c := range file.Cases {
		t.Run(c.Symptom, func(t *testing.T) {
			if c.Query != "" {
				read++
				if err := parseQuery(t, c.Query, opt); err != nil {
					t.Error(err)
				}
			}
			if c.Update == "" {
				return
			}
			read++
			err := parseUpdate(t, c.Update, opt)
			if refuse := c.Want == "syntax error"; refuse != (err != nil) {
				t.Errorf("error %v, want one: %v", err, refuse)
			}
		})
	}
	if read < 55 {
		t.Errorf("%d texts, want 55 or more", read)
	}
}
