package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/internal/longtest"
)

// run executes a command line with nothing on standard input.
func runLine(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	t.Setenv(envManifest, "")
	var out, errw bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // whatever gets past its flags ends
	code = execute(ctx, args, strings.NewReader(""), &out, &errw)
	return code, errw.String()
}

// eachFlag calls f for every flag of every command, inherited ones included.
func eachFlag(cmd *cobra.Command, f func(path []string, flag *pflag.Flag)) {
	path := strings.Fields(cmd.CommandPath())[1:]
	cmd.InheritedFlags() // merges them
	cmd.Flags().VisitAll(func(flag *pflag.Flag) { f(path, flag) })
	for _, sub := range cmd.Commands() {
		eachFlag(sub, f)
	}
}

// valuesOf are two values that a flag takes.
func valuesOf(t *testing.T, f *pflag.Flag) (a, b string) {
	switch kind := f.Value.Type(); kind {
	case "bool":
		return "true", "false"
	case "string":
		return "one", "two"
	case "int", "int64", "generation":
		return "1", "2"
	case "duration":
		return "1s", "2s"
	case "size":
		return "1MiB", "2MiB"
	default:
		t.Fatalf("--%s has a value of type %s, which this test does not know", f.Name, kind)
		return "", ""
	}
}

// collecting are the flags that may be given again: their values add up.
var collecting = []string{"adds", "allow-host", "cors", "creator", "dels", "prefix", "trust-proxy"}

// A flag that takes one value is an error when it is given again, on every command, in
// every spelling, also with the same value.
func TestRepeatedFlags(t *testing.T) {
	flags, found := 0, map[string]bool{}
	root := (&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}).root()
	eachFlag(root, func(path []string, f *pflag.Flag) {
		if _, several := f.Value.(pflag.SliceValue); several {
			found[f.Name] = true
			if !slices.Contains(collecting, f.Name) {
				t.Errorf("%v --%s adds up: is that meant?", path, f.Name)
			}
			return
		}
		flags++
		a, b := valuesOf(t, f)
		long, short := "--"+f.Name, "-"+f.Shorthand
		spellings := [][]string{{long + "=" + a, long + "=" + b}, {long + "=" + a, long + "=" + a}}
		if f.NoOptDefVal == "" {
			spellings = append(spellings, []string{long, a, long, b}, []string{long, a, long + "=" + b})
		} else {
			spellings = append(spellings, []string{long, long})
		}
		switch {
		case f.Shorthand == "":
		case f.NoOptDefVal == "":
			spellings = append(spellings, []string{short, a, long, b}, []string{short + a, short, b}, []string{long, a, short + "=" + b})
		default:
			spellings = append(spellings, []string{short, long}, []string{short + f.Shorthand})
		}
		for i, s := range spellings {
			last := len(s) - 1
			if len(s) == 4 {
				last = 2
			}
			for between, line := range [][]string{
				slices.Concat(path, s),
				slices.Concat(path, s[:last], []string{"an-argument"}, s[last:]),
			} {
				if !longtest.On() && (between+i+flags)%2 > 0 {
					continue
				}
				code, stderr := runLine(t, line...)
				if code != exitUsage || !strings.Contains(stderr, long) || !strings.Contains(stderr, "more than once") || strings.Count(stderr, "\n") != 1 {
					t.Errorf("rete %s: exit code %d, %s", strings.Join(line, " "), code, stderr)
				}
			}
		}
	})
	if flags < 150 {
		t.Errorf("%d flags were tried: the walk misses some", flags)
	}
	for _, name := range collecting {
		if !found[name] {
			t.Errorf("no command collects --%s", name)
		}
	}
}

// Persistent flags may stand before and after the name of the command: that is twice.
func TestRepeatedPersistentFlags(t *testing.T) {
	for _, line := range []string{
		"-q manifest status -q", "--quiet manifest -q status m.json", "--log-level warn demo --log-level warn",
		"-q --quiet", "manifest -q -q",
	} {
		if code, stderr := runLine(t, strings.Fields(line)...); code != exitUsage || !strings.Contains(stderr, "more than once") {
			t.Errorf("rete %s: exit code %d, %s", line, code, stderr)
		}
	}
}

// What a command would ignore is wrong usage and is named.
func TestFlagsWithoutEffect(t *testing.T) {
	for line, flag := range map[string]string{
		"dump a.rete --at 1":                                           "--at",
		"dump a.rete --journal j":                                      "--journal",
		"query a.rete --at 1 ASK{}":                                    "--at",
		"query a.rete --sealed-only ASK{}":                             "--sealed-only",
		"manifest query a.rete --journal j ASK{}":                      "--journal",
		"query m.json --explain --analyze ASK{}":                       "--analyze",
		"query m.json --explain --format csv ASK{}":                    "--format",
		"query m.json --analyze --format csv ASK{}":                    "--format",
		"query m.json --explain --warn ASK{}":                          "--warn",
		"query m.json --analyze --exit-status ASK{}":                   "--exit-status",
		"query m.json --strict --prefix p=http://e/ ASK{}":             "--prefix",
		"federate a.rete --strict --prefixes p.txt ASK{}":              "--prefixes",
		"query m.json --prefix p=http://a/ --prefix p=http://b/ ASK{}": "--prefix p is given twice",
		"update m.json --strict --prefix p=http://e/ CLEAR":            "--prefix",
		"build a.nt -o a.rete --stored --level best":                   "--level",
		"manifest compact m.json --stored --level best":                "--level",
		"manifest compact m.json -o a.rete --dir b":                    "--dir",
		"manifest init m.json a.rete --base http://e/":                 "--base",
		"manifest init m.json --empty --base http://e/":                "--base",
		"manifest add m.json --adds a.rete --dels b.rete --format nq":  "--format",
		"manifest add m.json --adds a.rete --base http://e/":           "--base",
		"serve a.rete --journal j":                                     "--journal",
		"serve a.rete --sync never":                                    "--sync",
		"serve a.rete --retain 1h":                                     "--retain",
		"serve a.rete --no-maintenance":                                "--no-maintenance",
		"serve m.json --read-only --fanout 4":                          "--fanout",
		"serve m.json --read-only --sync never":                        "--sync",
		"serve m.json --no-maintenance --seal-age 1m":                  "--seal-age",
		"serve https://ex.example/m.json --seal-bytes 1MiB":            "--seal-bytes",
		"serve m.json --log off --slow-query 1s":                       "--slow-query",
		"serve m.json --log off --log-level debug":                     "--log-level",
		"build a.nt - - -o a.rete --format nt":                         "standard input",
		"manifest add m.json --adds - --dels - --format nt":            "standard input",
		"manifest add m.json --adds - --adds - --format nt":            "standard input",
		"manifest init m.json a.rete --if-generation 3":                "--if-generation",
		"query m.json --at 1 --journal j ASK{}":                        "--journal has no effect with --at",
		"query m.json --at 1 --sealed-only ASK{}":                      "--sealed-only has no effect with --at",
		"query m.json --sealed-only --journal j ASK{}":                 "--journal has no effect with --sealed-only",
		"stats m.json --at 1 --journal j":                              "--journal has no effect with --at",
		"dump m.json --at 1 --journal j":                               "--journal has no effect with --at",
		"backup m.json p --sealed-only --journal j":                    "--journal has no effect with --sealed-only",
		"query m.json --format csv --wide ASK{}":                       "--wide has no effect with --format csv",
		"query m.json -o rows.csv --wide ASK{}":                        "--wide has no effect with --out rows.csv",
		"query m.json --explain --wide ASK{}":                          "--wide has no effect with --explain",
		"federate a.rete --format json --wide ASK{}":                   "--wide has no effect with --format json",
		"stats m.json --format void --wide":                            "--wide has no effect with --format void",
		"log m.json --json --wide":                                     "--wide has no effect with --json",
		"prefix m.json add ex http://ex/ --wide":                       "--wide has no effect with a change",
		"dump m.json --format=":                                        "--format is empty",
		"dump m.json --out=":                                           "--out is empty",
		"manifest add m.json --adds= --dels b.nt":                      "--adds is empty",
		"query m.json --file= ASK{}":                                   "--file is empty",
		"serve m.json --tokens=":                                       "--tokens is empty",
		"serve m.json --cors=":                                         "--cors is empty",
		"update m.json --prefixes= CLEAR":                              "--prefixes is empty",
	} {
		code, stderr := runLine(t, strings.Fields(line)...)
		if code != exitUsage || !strings.Contains(stderr, flag) {
			t.Errorf("rete %s: exit code %d, %s, want wrong usage of %s", line, code, stderr, flag)
		}
	}
	// This one is known once the query was read.
	var errw bytes.Buffer
	line := "query m.json --exit-status SELECT*{}"
	if code := execute(t.Context(), strings.Fields(line), strings.NewReader(""), io.Discard, &errw); code != exitUsage || !strings.Contains(errw.String(), "--exit-status") {
		t.Errorf("rete %s: exit code %d, %s", line, code, &errw)
	}
	for _, line := range []string{
		"query m.json --prefix p=http://a/ --prefix p:=<http://a/> ASK{}",
		"manifest compact m.json --entries 2..3 -o a.rete --dir b", "query m.json --strict=false --prefix p=http://e/ ASK{}",
		"manifest add m.json --adds a.rete --dels b.nt --format nt --base http://e/", "manifest seal m.json --note=",
	} {
		if code, stderr := runLine(t, strings.Fields(line)...); code == exitUsage {
			t.Errorf("rete %s: %s", line, stderr)
		}
	}
}

// senseless are the pairs of flags of which the first leaves the second without effect, on every
// command that has both, but for those that are named.
var senseless = []struct {
	first  string
	others []string
	but    []string
}{
	{"at", []string{"journal", "sealed-only"}, nil}, // an earlier generation is without the journal
	{"sealed-only", []string{"journal"}, nil},
	{"json", []string{"wide"}, []string{"query", "manifest query"}}, // there it goes with --explain
	{"json", []string{"format"}, []string{"query", "manifest query", "add", "manifest add", "init", "manifest init", "build", "estimate"}}, // of documents
	{"explain", []string{"analyze", "format", "exit-status", "warn", "wide"}, nil},
	{"analyze", []string{"format", "exit-status", "wide"}, nil},
	{"strict", []string{"prefix", "prefixes"}, nil},
	{"stored", []string{"level"}, nil},
	{"json", []string{"level"}, []string{"build", "merge", "compact", "manifest compact", "estimate"}}, // of a summary; there it is of compression
	{"list", []string{"check", "backup", "journal", "parallel"}, nil},
	{"check", []string{"journal", "parallel"}, nil},
	{"read-only", append([]string{"sync"}, flags.Tending...), nil},
	{"no-maintenance", []string{"seal-bytes", "seal-changes", "seal-age", "fanout", "retain"}, nil},
	{"public-url", []string{"trust-proxy"}, nil},
}

// TestPairsOfFlags: of all pairs of flags of all commands those are refused of which one would be
// ignored, and no others. What depends on a value or an argument is in TestFlagsWithoutEffect.
func TestPairsOfFlags(t *testing.T) {
	root := (&app{in: strings.NewReader(""), out: new(bytes.Buffer), err: new(bytes.Buffer)}).root()
	pairs, refused := 0, 0
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "rete ")
		cmd.LocalFlags().VisitAll(func(a *pflag.Flag) {
			cmd.LocalFlags().VisitAll(func(b *pflag.Flag) {
				want := false
				for _, s := range senseless {
					want = want || s.first == a.Name && slices.Contains(s.others, b.Name) && !slices.Contains(s.but, name)
				}
				pairs++
				if got := slices.Contains(a.Annotations["overrides"], b.Name); got != want {
					t.Errorf("%s --%s --%s: refused is %v, want %v", name, a.Name, b.Name, got, want)
				} else if got {
					refused++
				}
			})
		})
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(root)
	if pairs < 3000 || refused < 40 {
		t.Errorf("%d pairs, %d of them refused: some are missed", pairs, refused)
	}
}

// TestEmptyArguments: an argument that is empty names no file or folder, in any command.
func TestEmptyArguments(t *testing.T) {
	t.Setenv(envManifest, "")
	t.Chdir(t.TempDir())
	for _, cmd := range (&app{}).root().Commands() {
		for _, args := range [][]string{{""}, {"", "graph"}} {
			if code, stderr := runLine(t, append([]string{cmd.Name()}, args...)...); !cmd.Hidden && code != exitUsage {
				t.Errorf("rete %s %q: exit code %d, %s", cmd.Name(), args, code, stderr)
			}
		}
	}
	for _, args := range [][]string{{"backup", "graph", ""}, {"restore", "place", ""}, {"convert", "a.ttl", "", "--to", "nt"}, {"add", "graph", "a.ttl", ""}} {
		if code, stderr := runLine(t, args...); code != exitUsage || !strings.Contains(stderr, "an argument is empty") {
			t.Errorf("rete %q: exit code %d, %s", args, code, stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
}
