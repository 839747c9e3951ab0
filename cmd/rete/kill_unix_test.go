//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/longtest"
)

// TestKilledBuilds kills builds, merges and compactions that need temporary files at random
// moments: the file that they write is whole or not there, a graph is what it was, and the
// next run leaves no temporary file of them.
func TestKilledBuilds(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 3))
	rounds := longtest.Pick(5, 100)
	var text strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&text, "_:b%d <http://ex/p%d> \"text %d\" <http://ex/g%d> .\n", r.IntN(6000), i%7, r.IntN(20_000), i%30)
	}
	for _, c := range []struct {
		args   []string
		result string // "": a graph's own
	}{
		{[]string{"build", "doc.nq", "-o", "out.rete", "--memory", "1MiB", "--tmp", "tmp"}, "out.rete"},
		{[]string{"merge", "a.rete", "b.rete", "-o", "out.rete", "--memory", "1KiB", "--tmp", "tmp"}, "out.rete"},
		{[]string{"compact", "graph", "--memory", "1KiB", "--tmp", "tmp"}, ""},
	} {
		t.Run(c.args[0], func(t *testing.T) {
			dir := t.TempDir()
			tmp := filepath.Join(dir, "tmp")
			run := func(args ...string) string {
				t.Helper()
				cmd := command(t, dir, args...)
				cmd.Env = append(os.Environ(), envNoLeast+"=1")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, out)
				}
				return string(out)
			}
			if err := os.Mkdir(tmp, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "doc.nq"), []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			run("build", "doc.nq", "-o", "a.rete", "--keep-labels")
			run("build", "doc.nq", "-o", "b.rete")
			run("init", "graph", "a.rete")
			count := ""
			prepare := func() {
				if c.result != "" {
					_ = os.Remove(filepath.Join(dir, c.result))
					return
				}
				run("add", "graph", "b.rete")
				count = run("query", "graph", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }")
			}
			start := func() func() error {
				cmd := command(t, dir, c.args...)
				cmd.Env = append(os.Environ(), "TMPDIR="+tmp, envNoLeast+"=1")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				wait := time.Duration(r.Int64N(int64(300 * time.Millisecond)))
				return func() error {
					time.Sleep(wait)
					_ = cmd.Process.Kill()
					return cmd.Wait()
				}
			}
			killed := 0
			prepare()
			for range rounds {
				if start()() == nil {
					prepare()
					continue
				}
				killed++
				if c.result == "" {
					if now := run("query", "graph", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"); now != count {
						t.Fatalf("a kill changed the graph: %s, not %s", now, count)
					}
				} else if _, err := os.Stat(filepath.Join(dir, c.result)); err == nil {
					run("verify", c.result) // the kill came after its end
					prepare()
				}
			}
			run(c.args...)
			err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
				if err == nil && (strings.Contains(e.Name(), "tmp") && path != tmp || strings.Contains(e.Name(), "scratch")) {
					t.Errorf("%s is left after %d kills", path, killed)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d were killed", killed, rounds)
		})
	}
}
