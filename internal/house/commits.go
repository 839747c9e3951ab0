package main

import (
	"fmt"
	"os/exec"
	"strings"
	"unicode/utf8"
)

// maxSubject is the length of the subject of a commit.
const maxSubject = 72

// commits checks the subjects of the commits since the first that has this check. Without a
// history, or without git, there are none.
func commits(root string) ([]string, error) {
	first, err := git(root, "log", "--diff-filter=A", "--format=%H", "--", "internal/house/commits.go")
	if err != nil || first == "" {
		return nil, nil //nolint:nilerr // no history
	}
	hashes := strings.Fields(first)
	log, err := git(root, "log", "--no-merges", "--format=%h %s", hashes[len(hashes)-1]+"..HEAD")
	if err != nil {
		return nil, err
	}
	return longSubjects(log), nil
}

func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// longSubjects returns what is wrong with the lines "hash subject" of a log.
func longSubjects(log string) (out []string) {
	for line := range strings.Lines(log) {
		hash, subject, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n := utf8.RuneCountInString(subject); n > maxSubject {
			out = append(out, fmt.Sprintf("commit %s: a subject of %d characters, at most %d: %s", hash, n, maxSubject, subject))
		}
	}
	return out
}
