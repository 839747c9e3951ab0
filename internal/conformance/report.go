package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const module = "github.com/rete-go/rete/"

// packages have the tests of the suites.
var packages = []string{module + "rdf/rdfio", module + "sparql", module + "sparql/internal/parse"}

// kind is what a test does with the entries of a suite.
type kind uint8

const (
	syntax kind = iota
	evaluation
	update
	kinds
)

var headings = [kinds]string{"syntax", "evaluation", "update"}

// tests are the tests whose results count, and what they do. The evaluation
// tests run on segments; the same run in memory as well.
var tests = map[string]kind{
	"rdf/rdfio TestW3C":             syntax,
	"sparql/internal/parse TestW3C": syntax,
	"sparql TestW3CEngine":          evaluation,
	"sparql TestW3CUpdate":          update,
	"sparql TestW3CServiceHTTP":     evaluation,
}

// count is the results of the entries of a folder.
type count struct{ passed, failed, skipped int }

// report is the results by suite and folder.
type report struct {
	folders map[string]*[kinds]count
}

func newReport() *report { return &report{folders: make(map[string]*[kinds]count)} }

// event is what go test -json prints.
type event struct{ Action, Package, Test string }

// read counts the results that go test printed.
func (r *report) read(in io.Reader) error {
	dec := json.NewDecoder(in)
	for {
		var e event
		if err := dec.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r.add(e)
	}
}

// add counts one result of an entry. Those of TestW3CServiceHTTP are in
// TestW3CEngine as well, and only tell of a failure.
func (r *report) add(e event) {
	name, entry, ok := strings.Cut(e.Test, "/")
	pkg := strings.TrimPrefix(e.Package, module)
	k, counts := tests[pkg+" "+name]
	if !ok || !counts {
		return
	}
	folder, ok := folderOf(pkg, entry)
	if name == "TestW3CServiceHTTP" {
		if e.Action != "fail" {
			return
		}
		folder, ok = "sparql11/service", true
	}
	if !ok {
		return
	}
	c := r.folders[folder]
	if c == nil {
		c = new([kinds]count)
		r.folders[folder] = c
	}
	switch e.Action {
	case "pass":
		c[k].passed++
	case "fail":
		c[k].failed++
	case "skip":
		c[k].skipped++
	}
}

// folderOf returns the folder of an entry's test name; false for the tests of
// whole folders.
func folderOf(pkg, entry string) (string, bool) {
	parts := strings.SplitN(entry, "/", 3)
	switch {
	case pkg == "rdf/rdfio" && len(parts) > 1: // one part has slashes as underlines
		return strings.ReplaceAll(parts[0], "_", "/"), true
	case pkg != "rdf/rdfio" && len(parts) == 3:
		return parts[0] + "/" + parts[1], true
	}
	return "", false
}

// left out of the table of SPARQL, with the reason.
var leftOut = map[string]string{
	"sparql11/entailment":           "entailment regimes are not part of rete; the texts parse",
	"sparql11/protocol":             "no text of SPARQL: requests to a server",
	"sparql11/graph-store-protocol": "no text of SPARQL: requests to a server",
	"sparql11/http-rdf-update":      "no text of SPARQL: requests to a server",
	"sparql11/service-description":  "no text of SPARQL: requests to a server",
}

const intro = `# Conformance

What the W3C test suites say of this commit. The page is written by
` + "`go run ./internal/conformance`" + ` from the results of ` + "`go test`" + `; the tests
assert how many entries each folder has, so that none is lost unseen.

* **syntax**: texts that must be read, or refused at a position. In folders of
  evaluation tests their queries and updates, which must also have a translation into
  the algebra, and mean the same after printing.
* **evaluation**: of RDF, the triples that a document has; of SPARQL, the answers of
  queries over segments (and again over data in memory, by the engine and by the naive
  evaluator of the tests). The folder service runs against endpoints over HTTP too.
* **update**: the quads that an update leaves.

A number is the entries that pass; "n of m" if not all do.
`

// page writes the report.
func (r *report) page() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(intro)
	for _, part := range []struct{ title, prefix string }{{"RDF", "rdf"}, {"SPARQL", "sparql"}} {
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.folders)), func(s string) bool { return !strings.HasPrefix(s, part.prefix) })
		if len(names) == 0 {
			return nil, fmt.Errorf("no test of %s ran: are the suites there (RETE_SHARED)?", part.title)
		}
		fmt.Fprintf(&b, "\n## %s\n\n| folder |", part.title)
		columns := kinds
		if part.prefix == "rdf" {
			columns = 1
			b.WriteString(" tests |\n| --- | ---: |\n")
		} else {
			fmt.Fprintf(&b, " %s | |\n| --- | ---: | ---: | ---: | --- |\n", strings.Join(headings[:], " | "))
		}
		var sum [kinds]count
		for _, name := range names {
			f := r.folders[name]
			fmt.Fprintf(&b, "| %s |", name)
			for k := range columns {
				fmt.Fprintf(&b, " %s |", f[k])
				sum[k].passed += f[k].passed
				sum[k].failed += f[k].failed
				if leftOut[name] == "" {
					sum[k].skipped += f[k].skipped
				}
			}
			if part.prefix != "rdf" {
				fmt.Fprintf(&b, " %s |", leftOut[name])
			}
			b.WriteByte('\n')
		}
		b.WriteString("| **all** |")
		for k := range columns {
			fmt.Fprintf(&b, " **%s** |", sum[k])
		}
		if part.prefix != "rdf" {
			b.WriteString(" |")
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// String writes a cell of the table.
func (c count) String() string {
	all := c.passed + c.failed + c.skipped
	switch {
	case all == 0:
		return ""
	case c.passed == all:
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d of %d", c.passed, all)
}
