package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf/rdfio"
)

// writeSegments builds a segment without named graphs and one with.
func writeSegments(t *testing.T, dir string) (plain, named string) {
	t.Helper()
	plain, named = filepath.Join(dir, "plain.rete"), filepath.Join(dir, "named.rete")
	for out, text := range map[string]string{
		plain: "<http://ex/a> <http://ex/p> \"1\" .\n",
		named: "<http://ex/a> <http://ex/p> \"1\" .\n<http://ex/b> <http://ex/p> \"2\" <http://ex/g> .\n",
	} {
		in := strings.TrimSuffix(out, ".rete") + ".nq"
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var errw bytes.Buffer
		if code := execute(t.Context(), []string{"-q", "build", in, "-o", out}, nil, new(bytes.Buffer), &errw); code != exitDone {
			t.Fatal(errw.String())
		}
	}
	return plain, named
}

// Every syntax to a file and to standard output: what holds named graphs has them all,
// what does not is an error that leaves nothing behind.
func TestDumpLosesNoGraph(t *testing.T) {
	dir := t.TempDir()
	plain, named := writeSegments(t, dir)
	do := func(args ...string) (code int, out, errw string) {
		var o, e bytes.Buffer
		code = execute(t.Context(), append([]string{"dump"}, args...), nil, &o, &e)
		return code, o.String(), e.String()
	}
	for _, ext := range rdfio.Extensions() {
		f := rdfio.FormatOf("x" + ext)
		for _, pack := range []string{"", ".gz", ".zst"} {
			for _, data := range []string{plain, named} {
				file := filepath.Join(dir, "out"+ext+pack)
				os.Remove(file)
				lossy := data == named && !f.HasGraphs()
				for _, args := range [][]string{{data, "-o", file}, {data, "--format", f.String()}, {data, "--format", f.String(), "-o", file + ".other"}} {
					code, out, errw := do(args...)
					if lossy != (code == exitFailed) || !lossy && code != exitDone {
						t.Errorf("%v: exit code %d, %s", args, code, errw)
					}
					if lossy && (out != "" || !strings.Contains(errw, "nq, trig or jsonld") || !strings.Contains(errw, "--graph")) {
						t.Errorf("%v: %q, %s", args, out, errw)
					}
					os.Remove(file + ".other")
				}
				if _, err := os.Stat(file); (err == nil) == lossy {
					t.Errorf("%s of %s: %v", file, data, err)
				}
				if code, _, errw := do(data, "--graph", "default", "-o", file); code != exitDone {
					t.Errorf("the default graph as %s: %s", file, errw)
				}
			}
		}
	}
}

// Names that tell no format, or not the one that is written, are refused and make no file.
func TestOutputNames(t *testing.T) {
	dir := t.TempDir()
	plain, _ := writeSegments(t, dir)
	const rows, graph, ask = "SELECT * { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }", "ASK { ?s ?p ?o }"
	commands := map[string][]string{
		"dump": {"dump", plain}, "rows": {"query", plain, rows}, "graph": {"query", plain, graph}, "ask": {"query", plain, ask},
		"federated rows": {"federate", plain, rows}, "federated graph": {"federate", plain, graph},
		"build": {"build", filepath.Join(dir, "plain.nq")}, "compact": {"manifest", "compact", "m.json"},
		"plan": {"query", plain, "--explain", rows},
	}
	formats := map[string]string{"dump": "nq", "rows": "csv", "graph": "ttl", "ask": "json", "federated rows": "json", "federated graph": "nt"}
	unknown := []string{"x.parquet", "x.hdt", "x", "x.", "x.gz", "x.parquet.gz", "x.xyz", "x.n3", "x.rete.gz", "x.sql", "x.nq.txt.dat"}
	packed := []string{"x.nq.bz2", "x.csv.xz", "x.ttl.lz4", "x.nq.zip", "x.json.br", "x.tar", "x.7z"}
	try := func(name, file string, more ...string) {
		t.Helper()
		path := filepath.Join(dir, file)
		var out, errw bytes.Buffer
		code := execute(t.Context(), append(append(append([]string{}, commands[name]...), "-o", path), more...), nil, &out, &errw)
		if code != exitUsage || !strings.Contains(errw.String(), file) || out.Len() > 0 {
			t.Errorf("%s -o %s %v: exit code %d, %s", name, file, more, code, errw.String())
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s -o %s %v made a file", name, file, more)
		}
	}
	for name := range commands {
		for _, file := range append(append([]string{}, unknown...), packed...) {
			switch {
			case name == "build" || name == "compact":
				if name == "build" {
					continue // checked below: its message names what it needs
				}
				try(name, file)
			case name == "plan":
			default:
				try(name, file)
			}
		}
	}
	for _, file := range append(unknown, packed...) {
		var errw bytes.Buffer
		path := filepath.Join(dir, file)
		if code := execute(t.Context(), append(commands["build"], "-o", path), nil, new(bytes.Buffer), &errw); code != exitUsage {
			t.Errorf("build -o %s: exit code %d, %s", file, code, errw.String())
		}
	}
	for _, file := range []string{"x.nq", "x.ttl", "x.jsonld.gz"} {
		try("rows", file)
		try("ask", file)
	}
	for _, file := range []string{"x.csv", "x.srj", "x.tsv.zst"} {
		try("graph", file)
		try("dump", file)
	}
	// --format overrides the name, but not the ending of a compression.
	for name, format := range formats {
		for _, file := range packed {
			try(name, file, "--format", format)
		}
		for i, file := range unknown {
			path := filepath.Join(dir, fmt.Sprint(i), file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			var errw bytes.Buffer
			args := append(append([]string{}, commands[name]...), "-o", path, "--format", format)
			if code := execute(t.Context(), args, nil, new(bytes.Buffer), &errw); code != exitDone {
				t.Errorf("%v: exit code %d, %s", args, code, errw.String())
			}
			if info, err := os.Stat(path); err != nil || info.Size() == 0 {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
	// A plan is text under any name.
	path := filepath.Join(dir, "plan.parquet")
	if code := execute(t.Context(), append(commands["plan"], "-o", path), nil, new(bytes.Buffer), new(bytes.Buffer)); code != exitDone {
		t.Errorf("a plan in %s: exit code %d", path, code)
	}
	// What is no file to be made is written to as standard output is.
	for _, name := range []string{"dump", "rows", "graph", "ask"} {
		if code := execute(t.Context(), append(append([]string{}, commands[name]...), "-o", os.DevNull), nil, new(bytes.Buffer), new(bytes.Buffer)); code != exitDone {
			t.Errorf("%s -o %s: exit code %d", name, os.DevNull, code)
		}
	}
}
