package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEnvironmentInDocs: every variable of the table of docs/environment.md is on the page that tells of what
// it is for.
func TestEnvironmentInDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var docs strings.Builder
	for _, name := range append(pages, filepath.Join(root, "CONTRIBUTING.md")) {
		if filepath.Base(name) == "environment.md" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs.Write(text)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| environment | what |")
	table, _, _ = strings.Cut(table, "\n\n")
	names := regexp.MustCompile("`([A-Z][A-Z0-9_]+)`").FindAllStringSubmatch(table, -1)
	if len(names) < 8 {
		t.Errorf("%d variables were found in\n%s", len(names), table)
	}
	for _, m := range names {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(docs.String()) {
			t.Errorf("no page of docs tells of %s", m[1])
		}
	}
}

// TestEnvironmentPage: every variable that the module reads by its name is on docs/environment.md, and
// those of the program on its manual pages.
func TestEnvironmentPage(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "environment.md"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "*.go").Output()
	if err != nil {
		t.Skip("no list of the files:", err)
	}
	read := regexp.MustCompile(`(?:Getenv|LookupEnv)\("([A-Z_]+)"\)`)
	found := 0
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSpace(name)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // deleted, and not committed yet
		}
		for _, m := range read.FindAllStringSubmatch(string(text), -1) {
			found++
			if !strings.Contains(string(page), "`"+m[1]+"`") {
				t.Errorf("%s reads %s, which docs/environment.md does not have", name, m[1])
			}
		}
	}
	if found < 3 {
		t.Errorf("%d variables were found", found)
	}
	for _, name := range []string{envManifest, "TMPDIR", "NO_PROXY"} {
		if !strings.Contains(string(page), "`"+name+"`") || !strings.Contains(manSections, name) {
			t.Errorf("%s is not on docs/environment.md and on the manual pages", name)
		}
	}
}
