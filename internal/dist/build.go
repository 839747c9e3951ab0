package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// build builds the static program of a target and returns its bytes.
func build(work, system, processor string) ([]byte, error) {
	name := filepath.Join(work, system+"-"+processor)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name, "./cmd/rete")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return os.ReadFile(name)
}

// describe has a program of this machine write what all packages have.
func describe(work, version string) (*release, error) {
	name := filepath.Join(work, "rete-host")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", name, "./cmd/rete").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	text, err := exec.Command(name, "version", "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("rete version: %w", err)
	}
	var said struct {
		Version string    `json:"version"`
		Time    time.Time `json:"time"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, fmt.Errorf("rete version: %w", err)
	}
	if said.Time.IsZero() { // the build records nothing, as in a worktree of git
		said.Version, said.Time = fromGit()
	}
	if version == "" {
		version = said.Version
	}
	r := &release{version: cleanVersion(version), time: said.Time}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := exec.Command(name, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("rete completion %s: %w", shell, err)
		}
		r.completions = append(r.completions, completion{shell, text})
	}
	pages := filepath.Join(work, "man")
	if out, err := exec.Command(name, "man", "-q", pages).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("rete man: %w\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(pages, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range append(found, "README.md", "LICENSE", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		f := file{name: filepath.Base(page), mode: 0o644, text: text}
		if strings.HasSuffix(page, ".1") {
			r.pages = append(r.pages, f)
		} else {
			r.texts = append(r.texts, f)
		}
	}
	return r, nil
}

// fromGit asks git for the last commit: a version of no release, as Go spells it, and its time.
func fromGit() (version string, at time.Time) {
	text, err := exec.Command("git", "log", "-1", "--format=%H %cI").Output()
	commit, when, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if err == nil {
		at, err = time.Parse(time.RFC3339, when)
	}
	if err != nil || len(commit) < 12 {
		return "", time.Unix(0, 0).UTC()
	}
	at = at.UTC()
	return "v0.0.0-" + at.Format("20060102150405") + "-" + commit[:12], at
}

// cleanVersion makes a version that packages and names of files can have: a digit comes first.
func cleanVersion(v string) string {
	v = strings.TrimPrefix(v, "v")
	if v == "" || v[0] < '0' || v[0] > '9' { // (devel)
		v = "0.0.0"
	}
	return v
}
