package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBashCompletion reads the script into a bash that has nothing else, and completes lines.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for _, name := range []string{"people.rete", "p.rete-manifest.json", "notes.txt", "b c.rete", "places/x.rete"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	script, err := limited(t, dir, "rete", "completion", "bash").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"_init_completion -n", "_get_comp_words_by_ref", " _filedir", `"_filedir`} {
		if bytes.Contains(script, []byte(of)) {
			t.Errorf("the script uses %s, which is of the package bash-completion", of)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "completion"), script, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{ // words are as bash splits them
		{"rete|ver", "verify version"},
		{"rete|manifest|st", "status"},
		{"rete|man", "man manifest"},
		{"rete|help|manifest|se", "seal"},
		{"rete|completion|b", "bash"},
		{"rete|query|pe", "people.rete"},
		{"rete|query|p", "p.rete-manifest.json people.rete places"},
		{"rete|query|b", "b c.rete"},
		{"rete|query|no", ""},
		{"rete|query|places/", "places/x.rete"},
		{"rete|man|", "places"},
		{"rete|query|--forma", "--format"},
		{"rete|query|--format|t", "table trig tsv ttl"},
		{"rete|query|--format=|=|c", "csv"},
		{"rete|query|people.rete|--format|js", "json jsonld"},
	} {
		words := strings.Split(c.words, "|")
		line := strings.Join(words, " ")
		if i := strings.Index(line, "= = "); i >= 0 { // bash splits at =, where no blank is
			line = line[:i] + "=" + line[i+len("= = "):]
			words = append(words[:2], append([]string{strings.TrimSuffix(words[2], "=")}, words[3:]...)...)
		}
		program := `source ./completion
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
__start_rete 2>errors
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}" | sort
grep -v 'compopt: not currently' errors >&2`
		cmd := limited(t, dir, bash, append([]string{"--norc", "--noprofile", "-c", program, "bash", line}, words...)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, _ := cmd.Output() // grep finds nothing
		var got []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(line, "  ") // and a description
			got = append(got, strings.TrimSpace(word))
		}
		if strings.Join(got, " ") != c.want || stderr.Len() > 0 {
			t.Errorf("%q: %q, not %q %s", line, got, c.want, &stderr)
		}
	}
}
