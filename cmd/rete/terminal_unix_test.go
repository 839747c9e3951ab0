//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/rete-go/rete/internal/display"
)

// onTerminal runs the program on a terminal of some columns and 20 rows, and returns what that
// was sent, both streams.
func onTerminal(t *testing.T, dir string, columns uint16, env []string, args ...string) string {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Env = append(os.Environ(), append([]string{"PAGER=", "TERM=xterm"}, env...)...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 20, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	out, err := io.ReadAll(tty)
	if err != nil && !errors.Is(err, syscall.EIO) { // the program has ended
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

// escapes is a document whose terms would take over a terminal.
const escapes = `<http://ex/s\u009B31m> <http://ex/p\u202Ep> "\u001B]0;title\u0007\u001B[2J\u001B[31mred" .
<http://ex/s> <http://ex/p> "back\b\b\b\u000D\f and \u009B2J"@en .
<http://ex/s> <http://ex/p> "text"^^<http://ex/t\u009B> .
<http://ex/s> <http://ex/p> "日本\u0301 wide 👩‍👩‍👧" .
`

func hostileData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "h.nt"), []byte(escapes), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, dir, "build", "-q", "h.nt", "-o", "h.rete").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// TestTerminalGetsTextAlone: no escape sequence of the data reaches a terminal, by whatever
// command and in whatever format.
func TestTerminalGetsTextAlone(t *testing.T) {
	dir := hostileData(t)
	all := `SELECT * { ?s ?p ?o }`
	var lines [][]string
	for _, format := range rowWords {
		if format != "xml" { // which cannot carry them
			lines = append(lines, []string{"query", "h.rete", all, "--format", format})
		}
	}
	for _, format := range graphWords {
		if format != "rdfxml" {
			lines = append(lines, []string{"query", "h.rete", "CONSTRUCT WHERE { ?s ?p ?o }", "--format", format})
		}
	}
	lines = append(lines,
		[]string{"query", "h.rete", all},
		[]string{"query", "h.rete", all, "--wide"},
		[]string{"federate", "h.rete", "h.rete", all},
		[]string{"query", "h.rete", "DESCRIBE <http://ex/s>"},
		[]string{"query", "h.rete", "SELECT * { ?s ?p \"\\u001B[31mred\" FILTER(?s > 5) }", "--warn", "--analyze"},
		[]string{"query", "h.rete", "SELECT * { ?s ?p ?o FILTER(CONTAINS(?o, \"\u009b31m\") && ?o > 4) }", "--explain"},
		[]string{"query", "h.rete", "SELECT * { ?s ?p ?o FILTER(?o > 4) }", "--warn"},
		[]string{"query", "h.rete", "SELECT * { ?s ?p \"\u009b31m\" nonsense }"},
		[]string{"dump", "h.rete", "--format", "nq"},
		[]string{"dump", "h.rete", "--format", "ttl"},
		[]string{"build", "no\u009b31m.nt", "-o", "x.rete"})
	colors := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, line := range lines {
		for _, noColor := range []string{"1", ""} {
			out := onTerminal(t, dir, 60, []string{"NO_COLOR=" + noColor}, line...)
			if noColor == "" {
				out = colors.ReplaceAllString(out, "")
			}
			if display.CleanLines(out) != out || strings.TrimSpace(out) == "" {
				t.Errorf("%v (NO_COLOR=%s): %q", line, noColor, out)
			}
		}
	}
	// What is no terminal gets the bytes.
	out, err := command(t, dir, "query", "h.rete", all, "--format", "csv").Output()
	if err != nil || !strings.Contains(string(out), "\x1b[31mred") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err = command(t, dir, "query", "h.rete", all).Output(); err != nil || !strings.HasPrefix(string(out), "?s\t?p\t?o\n") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestTablesFit: no line of an answer or of a plan is wider than the terminal.
func TestTablesFit(t *testing.T) {
	dir := hostileData(t)
	for _, columns := range []uint16{40, 60, 80, 120} {
		for _, line := range [][]string{
			{"query", "h.rete", "SELECT * { ?s ?p ?o }"},
			{"query", "h.rete", "SELECT ?s (STRLEN(STR(?s)) AS ?n) ?o ?p { ?s ?p ?o }"},
			{"query", "h.rete", "--explain", "SELECT * { ?s ?p ?o ; <http://ex/a> ?x OPTIONAL { ?x ?y ?z } }"},
			{"query", "h.rete", "--analyze", "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o ; ?q ?x . ?s2 ?p ?x } GROUP BY ?s ORDER BY ?n"},
		} {
			out := onTerminal(t, dir, columns, []string{"NO_COLOR=1"}, append(line, "--quiet")...)
			for text := range strings.Lines(out) {
				text = strings.TrimSuffix(text, "\n")
				if n := display.Width(text); n > int(columns) {
					t.Errorf("%v: %d columns of %d: %s", line, n, columns, text)
				}
			}
		}
	}
	out := onTerminal(t, dir, 40, []string{"NO_COLOR=1"}, "query", "h.rete", "SELECT * { ?s ?p ?o }")
	if !strings.Contains(out, "…") || !strings.Contains(out, "cells cut, --wide or --format lines") {
		t.Error(out)
	}
	out = onTerminal(t, dir, 40, []string{"NO_COLOR=1"}, "query", "h.rete", "--wide", "SELECT * { ?s ?p ?o }")
	if strings.Contains(out, "…") || strings.Contains(out, "cut") || !strings.Contains(out, `<http://ex/s\u009B31m>`) {
		t.Error(out)
	}
}

// TestListsFit: no line of a table that a command shows is wider than the terminal, --wide and a
// pipe get all of it, and colors come unless NO_COLOR forbids them.
func TestListsFit(t *testing.T) {
	dir := hostileData(t)
	long := strings.Repeat("a-long-name-", 8)
	doc := "@prefix ex: <http://example.org/" + long + "/> .\n@prefix " + long + "p: <http://example.org/p/> .\nex:s ex:" + long + " ex:o , \"text " + long + "\" .\n"
	if err := os.WriteFile(filepath.Join(dir, "doc.ttl"), []byte(doc), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"init", "team", "doc.ttl", "--note", "first"},
		{"add", "team", "h.nt", "--note", "the second, of " + long},
		{"build", "doc.ttl", "-o", long + ".rete"},
		{"manifest", "init", "m.rete-manifest.json", long + ".rete"},
		{"backup", "team", "backups"},
		{"build", "doc.ttl", "-o", "doc.rete", "--title", "of " + long},
	} {
		if out, err := command(t, dir, append(line, "--quiet")...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", line, err, out)
		}
	}
	for _, c := range []struct {
		line  []string
		whole string // that --wide shows
	}{
		{[]string{"log", "team"}, "the second, of " + long},
		{[]string{"status", "team"}, ".rete"},
		{[]string{"info", "m.rete-manifest.json"}, long + ".rete"},
		{[]string{"info", "doc.rete"}, "of " + long},
		{[]string{"prefix", "team"}, "<http://example.org/" + long + "/>"},
		{[]string{"diff", "team", "~1"}, `日本`},
		{[]string{"diff", "team", "1..2"}, `http://ex/s\u009B31m`},
		{[]string{"stats", "team"}, "ex:" + long},
		{[]string{"gc", "team"}, "bytes live"},
		{[]string{"restore", "backups", "--list"}, "generations"},
		{[]string{"restore", "backups", "--check"}, "generations"},
	} {
		for _, columns := range []uint16{30, 60, 100} {
			out := onTerminal(t, dir, columns, []string{"NO_COLOR=1"}, append(c.line, "--quiet")...)
			table, _, _ := strings.Cut(out, "generation 2, oldest") // which is a line
			for text := range strings.Lines(table) {
				if n := display.Width(strings.TrimSuffix(text, "\n")); n > int(columns) && !strings.Contains(table, "─── 1 ") {
					t.Errorf("%v: %d columns of %d: %s", c.line, n, columns, text)
				}
			}
			if display.CleanLines(out) != out || out == "" {
				t.Errorf("%v: %q", c.line, out)
			}
		}
		wide := onTerminal(t, dir, 60, []string{"NO_COLOR=1"}, append(c.line, "--wide")...)
		pipe, err := command(t, dir, c.line...).Output()
		if strings.Contains(wide, "…") || !strings.Contains(wide, c.whole) {
			t.Errorf("%v --wide:\n%s", c.line, wide)
		}
		if err != nil || strings.ContainsAny(string(pipe), "…\x1b") {
			t.Errorf("%v into a pipe: %v\n%s", c.line, err, pipe)
		}
	}
	if out := onTerminal(t, dir, 80, []string{"NO_COLOR=1"}, "log", "team"); !strings.Contains(out, "Z ") || !strings.Contains(out, "1 cell cut, --wide shows all\n") {
		t.Error(out)
	}
	if out := onTerminal(t, dir, 60, nil, "log", "team"); !strings.HasPrefix(out, "\x1b[1mgeneration\x1b[0m") {
		t.Errorf("%q", out)
	}
}

// TestPager: an answer that is longer than the terminal goes through the pager, one that is
// not does not.
func TestPager(t *testing.T) {
	dir := hostileData(t)
	numbers := func(n string) string {
		return "SELECT ?n { VALUES ?a {0 1 2 3 4 5 6 7 8 9} VALUES ?b {0 1 2 3 4 5 6 7 8 9} BIND(?a * 10 + ?b AS ?n) } ORDER BY ?n LIMIT " + n
	}
	pager := []string{"NO_COLOR=1", "PAGER=sed s/^/P:/"}
	for _, c := range []struct {
		args  []string
		paged bool
	}{
		{[]string{"query", "h.rete", numbers("100")}, true},
		{[]string{"query", "h.rete", numbers("100"), "--format", "lines"}, true},
		{[]string{"query", "h.rete", numbers("10")}, false},
		{[]string{"query", "h.rete", numbers("100"), "--no-pager"}, false},
		{[]string{"query", "h.rete", numbers("100"), "-o", "/dev/stdout"}, false},
	} {
		out := onTerminal(t, dir, 60, pager, c.args...)
		if strings.Contains(out, "P:") != c.paged || !strings.Contains(out, "9") {
			t.Errorf("%v:\n%s", c.args, out)
		}
	}
	// Rows that the pager did not take are not counted.
	big := strings.ReplaceAll(numbers("10000"), "VALUES ?a", "VALUES ?c {0 1 2 3 4 5 6 7 8 9} VALUES ?d {0 1 2 3 4 5 6 7 8 9} VALUES ?e {0 1 2 3 4 5 6 7 8 9} VALUES ?a")
	if out := onTerminal(t, dir, 60, []string{"NO_COLOR=1", "PAGER=head -n 3"}, "query", "h.rete", big, "--format", "lines"); strings.Contains(out, "rows,") || !strings.HasPrefix(out, "─── 1 ") {
		t.Error(out)
	}
	// A pager that is left early is no error, one that is not there is none.
	if out := onTerminal(t, dir, 60, []string{"NO_COLOR=1", "PAGER=head -n 3"}, "query", "h.rete", numbers("100")); strings.Contains(out, "rete:") || !strings.HasPrefix(out, "?n\n") {
		t.Error(out)
	}
	if out := onTerminal(t, dir, 60, []string{"NO_COLOR=1", "PAGER=/no/such/pager -x"}, "query", "h.rete", numbers("100")); !strings.Contains(out, "99\n") {
		t.Error(out)
	}
}

// TestBuildProgress: where all documents are files, the display of a build has the part that is
// read, the bytes, and the time that is left until all are; an address has no size that is known.
// What comes after the reading has no part of it, and a merge counts rows.
func TestBuildProgress(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("<http://ex/s> <http://ex/p> <http://ex/o> .\n", 3000)
	if err := os.WriteFile(filepath.Join(dir, "a.nt"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := onTerminal(t, dir, 120, nil, "build", "a.nt", "-o", "a.rete"); !regexp.MustCompile(`\d%.*/\d+ kB.*\[\d+s:\d+s\]`).MatchString(out) || !regexp.MustCompile(`sort 3,000 quads +\[\ds\]`).MatchString(out) {
		t.Errorf("no part that is done, no bytes, no time left, or no end of it: %q", out)
	}
	if out := onTerminal(t, dir, 120, nil, "merge", "a.rete", "-o", "b.rete"); !regexp.MustCompile(`write 0 of 6 rows +0%.*rows/.*\[\d+s:\d+s\]`).MatchString(out) {
		t.Errorf("no rows and no rate: %q", out)
	}
	if out := onTerminal(t, dir, 120, nil, "build", "a.nt", "http://127.0.0.1:1/none.nt", "-o", "a.rete"); strings.Contains(out, "%") {
		t.Errorf("a part of what nobody knows: %q", out)
	}
}
