package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/storetest"
)

// processTime is more than any process of a test takes.
const processTime = 2 * time.Minute

// pollTime is between two looks for what a server does.
const pollTime = 10 * time.Millisecond

// command is a run of the real program; TestMain puts it on the path.
func command(t testing.TB, dir string, args ...string) *exec.Cmd {
	return limited(t, dir, "rete", args...)
}

// limited is a run of a program that cannot go on for ever. One that is over its
// time shows its goroutines, and neither it nor its children are waited for.
func limited(t testing.TB, dir, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), processTime)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error {
		if ctx.Err() != context.DeadlineExceeded || cmd.Process.Signal(syscall.SIGQUIT) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// lines is an endless document.
type lines struct {
	n    int
	rest []byte
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) < len(p) {
		l.n++
		l.rest = fmt.Appendf(l.rest, "<http://ex/%d> <http://ex/p> <http://ex/o> .\n", l.n)
	}
	n := copy(p, l.rest)
	l.rest = append(l.rest[:0], l.rest[n:]...)
	return n, nil
}

// TestInterrupt: an interrupted command ends by itself, says so, and leaves nothing
// behind.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another there")
	}
	dir := t.TempDir()
	manifest := "g.rete-manifest.json"
	if out, err := command(t, dir, "manifest", "init", manifest, "--empty").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, args := range [][]string{
		{"build", "-", "--format", "nt", "-o", "x.rete"},
		{"manifest", "add", manifest, "--adds", "-", "--format", "nt"},
		{"manifest", "add", manifest, "--dels", "-", "--format", "nt"},
	} {
		cmd := command(t, dir, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// It has read a good part when this much is written.
		doc := &lines{}
		if _, err := io.CopyN(in, doc, 8<<20); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		go func() { // the reader may be waiting for more
			io.Copy(in, doc)
			in.Close()
		}()
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 128+int(syscall.SIGINT) {
			t.Errorf("%v: %v", args, err)
		}
		want := "rete: interrupted; nothing was committed\n"
		if args[0] == "build" { // which commits nothing anyway
			want = "rete: interrupted\n"
		}
		if got := stderr.String(); got != want {
			t.Errorf("%v: standard error is %q", args, got)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != manifest && e.Name() != manifest+".lock" {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

// TestSignals ends commands that commit nothing, and one that would, by signals: the exit code
// is that of the signal, and only the commit says that nothing was committed.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another there")
	}
	dir := t.TempDir()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "<x:s%d> <x:p> %q .\n", i, fmt.Sprint(i))
	}
	if err := os.WriteFile(filepath.Join(dir, "a.nt"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"build", "-q", "a.nt", "-o", "a.rete"}, {"manifest", "init", "-q", "m.rete-manifest.json", "a.rete"}} {
		if out, err := command(t, dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	const long = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"query", "a.rete", "SELECT * { " + long + " }", "--format", "csv"}, "rete: interrupted\n"},
		{[]string{"federate", "a.rete", "SELECT * { " + long + " }", "--format", "csv"}, "rete: interrupted\n"},
		{[]string{"update", "m.rete-manifest.json", "INSERT { ?a <x:q> ?f } WHERE { SELECT * { " + long + " } }"}, "rete: interrupted; nothing was committed\n"},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			_ = os.Remove(filepath.Join(dir, "m.rete-manifest.json.changes")) // of the previous update, which changed nothing
			cmd := command(t, dir, c.args...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.args[0] == "update" {
				waitFor(t, filepath.Join(dir, "m.rete-manifest.json.changes")) // it says nothing until it is done
			} else if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, out)
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 128+int(signal) || stderr.String() != c.want {
				t.Errorf("%s and %v: %v, %q", c.args[0], signal, err, stderr.String())
			}
		}
	}
}

// waitFor waits until there is a file.
func waitFor(t *testing.T, name string) {
	t.Helper()
	for range processTime / pollTime {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(pollTime)
	}
	t.Fatalf("there is no %s", name)
}

// TestProcesses lets programs add to one manifest and update it, others seal and
// compact it, and kills some of them: what was acknowledged is there, every quad is one of those that were
// added, and the store is whole.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	const manifest = "race.rete-manifest.json"
	if out, err := command(t, dir, "manifest", "init", manifest, "--empty").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writers, rounds := 6, longtest.Pick(6, 12)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		acked = map[string]bool{} // quads whose add ended well
		begun = map[string]bool{} // all that were tried
		done  = make(chan struct{})
	)
	for w := range writers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 11))
			for i := range rounds {
				quad := fmt.Sprintf("<http://ex/w%d> <http://ex/i> \"%d\" .", w, i)
				mu.Lock()
				begun[quad] = true
				mu.Unlock()
				cmd := command(t, dir, "manifest", "add", manifest, "--adds", "-", "--format", "nt", "--quiet")
				if cmd.Stdin = strings.NewReader(quad + "\n"); w%2 == 0 { // the other door
					cmd = command(t, dir, "update", manifest, "INSERT DATA { "+quad+" }", "--quiet")
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				killed := r.IntN(3) == 0
				if killed {
					time.Sleep(time.Duration(r.IntN(120)) * time.Millisecond) // anywhere in its run
					cmd.Process.Kill()
				}
				err := cmd.Wait()
				if err == nil || bytes.Contains(out.Bytes(), []byte("committed")) || bytes.Contains(out.Bytes(), []byte("1 quad changed")) {
					mu.Lock()
					acked[quad] = true
					mu.Unlock()
				} else if !killed {
					t.Errorf("%v: %v: %s", cmd.Args, err, &out)
				}
			}
		})
	}
	compacted := 0
	var compactor sync.WaitGroup
	compactor.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			args := []string{"manifest", "compact", manifest}
			switch i % 3 {
			case 1:
				args = append(args, "--entries", "0..1")
			case 2:
				args[1] = "seal"
			}
			out, err := command(t, dir, args...).CombinedOutput()
			if err == nil && bytes.Contains(out, []byte("committed")) {
				compacted++
			}
			if err != nil && !bytes.Contains(out, []byte("the log has")) && !bytes.Contains(out, []byte("conflict")) {
				t.Errorf("%v: %v: %s", args, err, out)
			}
		}
	})
	wg.Wait()
	close(done)
	compactor.Wait()

	out, err := command(t, dir, "dump", manifest).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		quad := strings.TrimSpace(line)
		if found[quad] = true; !begun[quad] {
			t.Errorf("a quad that nobody added: %s", quad)
		}
	}
	for quad := range acked {
		if !found[quad] {
			t.Errorf("lost: %s", quad)
		}
	}
	t.Logf("%d of %d adds were acknowledged, %d quads are there, %d compactions", len(acked), len(begun), len(found), compacted)
	out, err = command(t, dir, "manifest", "status", manifest, "--json", "--count").Output()
	var status struct {
		Verified bool `json:"verified"`
		Visible  int  `json:"visible_quads"`
	}
	if err == nil {
		err = json.Unmarshal(out, &status)
	}
	if err != nil || !status.Verified || status.Visible != len(found) {
		t.Errorf("status: %v\n%s", err, out)
	}
	storetest.Check(t, filepath.Join(dir, manifest), nil)
}
