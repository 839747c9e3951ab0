package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readmeStep is a command of the README's session with what it prints.
type readmeStep struct{ command, output string }

// readmeSession reads the indented block under "## A session".
func readmeSession(t *testing.T) []readmeStep {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n## A session\n")
	section, _, _ := strings.Cut(rest, "\n## ")
	steps := stepsOf(section)
	if len(steps) < 5 {
		t.Fatalf("the session has %d commands", len(steps))
	}
	return steps
}

// stepsOf reads the indented lines of a text: commands after a $, and what they print.
func stepsOf(section string) []readmeStep {
	unfinished := func(command string) bool {
		return strings.Count(command, "'")%2 == 1 || strings.HasSuffix(command, "\\\n")
	}
	var steps []readmeStep
	for line := range strings.Lines(section) {
		code, ok := strings.CutPrefix(line, "    ")
		if !ok {
			continue
		}
		if command, begins := strings.CutPrefix(code, "$ "); begins {
			steps = append(steps, readmeStep{command: command})
		} else if len(steps) == 0 {
			continue
		} else if last := &steps[len(steps)-1]; unfinished(last.command) {
			last.command += code
		} else {
			last.output += code
		}
	}
	return steps
}

// tutorialSession is that of the tutorial, up to the server.
func tutorialSession(t *testing.T) []readmeStep {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	session, _, _ := strings.Cut(string(text), "\n## Serve it\n")
	steps := stepsOf(session)
	if len(steps) < 10 {
		t.Fatalf("the tutorial has %d commands", len(steps))
	}
	return steps
}

// TestTutorial runs the tutorial on the example data and expects what it shows.
func TestTutorial(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the tutorial needs a shell")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	for _, step := range tutorialSession(t) {
		cmd := limited(t, dir, "sh", "-c", strings.TrimSpace(step.command))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", step.command, err, &stderr)
		}
		if got := strings.ReplaceAll(string(out), "\r", ""); constantPart(got) != constantPart(step.output) {
			t.Errorf("%s\nprints:\n%sthe tutorial shows:\n%s", step.command, got, step.output)
		}
	}
}

// TestReadme runs the session of the README on the example data and expects what
// it shows.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the session needs a shell")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	for _, step := range readmeSession(t) {
		script := strings.TrimSpace(step.command)
		if strings.HasPrefix(script, "rete query") {
			script += " --format table" // what a terminal shows
		}
		cmd := limited(t, dir, "sh", "-c", script)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, &stderr)
		}
		if got := string(out); got != step.output {
			t.Errorf("%s\nprints:\n%sthe README shows:\n%s", script, got, step.output)
		}
	}
}

// TestQueryPage runs the commands of the pages about queries, statistics and the shell on the example data.
func TestQueryPage(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands need a shell")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	if out, err := limited(t, dir, "rete", "build", "-q", "people.ttl", "-o", "people.rete").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, page := range []string{"query.md", "stats.md", "shell.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		steps := stepsOf(string(text))
		if len(steps) == 0 {
			t.Fatal("no commands")
		}
		for _, step := range steps {
			script := strings.TrimSpace(step.command)
			out, err := limited(t, dir, "sh", "-c", script).CombinedOutput()
			// Empty lines of a page have no indentation.
			if got := strings.ReplaceAll(string(out), "\n\n", "\n"); err != nil || got != step.output {
				t.Errorf("%s\nprints (%v):\n%sthe page shows:\n%s", script, err, got, step.output)
			}
		}
	}
}
