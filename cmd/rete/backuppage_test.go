package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What differs from one backup to the next: the name of its list, its time, its size.
var variable = []struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`-\d{8}T\d{6}Z-[0-9a-f]{32}`), "-TIME-DIGEST"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`\b\d,\d{3}\b`), "SIZE"},
}

func constantPart(text string) string {
	for _, v := range variable {
		text = v.find.ReplaceAllString(text, v.put)
	}
	return text
}

// TestBackupPage runs the commands and the script of the page about backups on the example
// data, and expects what the page shows.
func TestBackupPage(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the commands need a shell")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "backup.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"build", "-q", "people.ttl", "-o", "people.rete"},
		{"manifest", "init", "team.rete-manifest.json", "people.rete"},
		{"manifest", "add", "team.rete-manifest.json", "--adds", "companies.trig"},
	} {
		if out, err := limited(t, dir, "rete", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	steps := stepsOf(string(text))
	if len(steps) < 4 {
		t.Fatalf("the page has %d commands", len(steps))
	}
	for _, step := range steps {
		script := strings.TrimSpace(step.command)
		out, err := limited(t, dir, "sh", "-c", script).CombinedOutput()
		if err != nil || constantPart(string(out)) != constantPart(step.output) {
			t.Errorf("%s\nprints (%v):\n%sthe page shows:\n%s", script, err, out, step.output)
		}
	}

	_, script, _ := strings.Cut(string(text), "```sh\n")
	script, _, found := strings.Cut(script, "```\n")
	if !found {
		t.Fatal("the page has no script")
	}
	nightly := filepath.Join(dir, "backup.sh")
	if err := os.WriteFile(nightly, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"", "INSERT DATA { <http://ex/a> <http://ex/p> 1 }"} {
		if change != "" {
			if out, err := limited(t, dir, "rete", "update", "team.rete-manifest.json", change).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		out, err := limited(t, dir, "sh", nightly, "team.rete-manifest.json", "nightly").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "can be restored") || strings.Contains(string(out), "1 unsealed") != (change != "") {
			t.Errorf("the script of the page: %v\n%s", err, out)
		}
	}
	// It fails where there is nothing to compare with.
	if err := os.WriteFile(filepath.Join(dir, "team.rete-manifest.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := limited(t, dir, "sh", nightly, "team.rete-manifest.json", "nightly").CombinedOutput(); err == nil {
		t.Errorf("a graph that cannot be read: the script says\n%s", out)
	}
}
