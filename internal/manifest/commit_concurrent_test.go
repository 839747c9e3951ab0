package manifest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
)

func TestConcurrentCommits(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, manifestName)
	opt := blob.MuxOptions{}
	f, err := manifest.Open(name, opt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	const writers, each = 4, 12
	var wg sync.WaitGroup
	for w := range int64(writers) {
		wg.Go(func() {
			f, err := manifest.Open(name, opt)
			for n := int64(0); err == nil && n < each; n++ {
				_, err = f.Commit(t.Context(), nil, add(w*each+n))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	checkAll(t, f, writers*each)
	if left, _ := filepath.Glob(filepath.Join(dir, "*tmp*")); len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
}

// checkAll expects the entries 0 to n-1 in any order, each once.
func checkAll(t *testing.T, f *manifest.File, n int64) {
	t.Helper()
	cur := manifesttest.CheckHistory(t, f)
	got := slices.Sorted(slices.Values(sizes(cur)))
	for i := range n {
		if int64(len(got)) != n || got[i] != i {
			t.Fatalf("commits lost or doubled: %v", got)
		}
	}
	if cur.Generation != n+1 {
		t.Errorf("got generation %d, want %d", cur.Generation, n+1)
	}
}

const childEnv = "RETE_TEST_COMMITS"

// TestCommitChild is the other process of TestConcurrentProcesses.
func TestCommitChild(t *testing.T) {
	arg := os.Getenv(childEnv)
	if arg == "" {
		t.Skip("only run by TestConcurrentProcesses")
	}
	var from, n int64
	var name string
	if _, err := fmt.Sscanf(arg, "%d %d %s", &from, &n, &name); err != nil {
		t.Fatal(err)
	}
	f, err := manifest.Open(name, blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := f.Commit(t.Context(), nil, add(from+i)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConcurrentProcesses(t *testing.T) {
	name := filepath.Join(t.TempDir(), manifestName)
	f, err := manifest.Open(name, blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for p := range 3 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=3m", "-test.run=^TestCommitChild$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d 10 %s", childEnv, p*10, name))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	checkAll(t, f, 30)
}
