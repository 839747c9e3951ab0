package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEnvironmentPage: every variable that the module reads by its name is in the README, and
// those of the program on its manual pages.
func TestEnvironmentPage(t *testing.T) {
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
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
			if !strings.Contains(string(readme), "`"+m[1]+"`") {
				t.Errorf("%s reads %s, which the README does not have", name, m[1])
			}
		}
	}
	if found < 3 {
		t.Errorf("%d variables were found", found)
	}
	for _, name := range []string{envManifest, "TMPDIR", "NO_PROXY"} {
		if !strings.Contains(string(readme), "`"+name+"`") || !strings.Contains(manSections, name) {
			t.Errorf("%s is not in the README and on the manual pages", name)
		}
	}
}
