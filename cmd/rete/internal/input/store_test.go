package input_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/internal/segment"
)

// quadsIn opens a segment and returns its number of quads and its terms.
func quadsIn(t *testing.T, path string) (uint64, string) {
	t.Helper()
	mux, err := blob.NewMux("", blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	obj, err := mux.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := segment.Open(t.Context(), obj, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all strings.Builder
	for terms := s.AllTerms(segment.ObjectOnly); ; {
		term, err := terms.Next(t.Context())
		if err != nil {
			break
		}
		all.Write(term)
	}
	return s.Header().Quads, all.String()
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// document is one of n quads that no other number has.
func document(no, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<http://ex/a> <http://ex/p> \"%d of %d\" .\n", i, no)
	}
	return b.String()
}

func setOf(t *testing.T, names ...string) *input.Set {
	t.Helper()
	docs, err := input.Expand(names, &input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &input.Set{Documents: docs}
}

func mustSegment(t *testing.T, s *input.Store, set *input.Set) string {
	t.Helper()
	path, done, err := s.Segment(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	return path
}

// TestStoreIsNeverStale changes files at random and compares each segment with what the files
// hold at that moment.
func TestStoreIsNeverStale(t *testing.T) {
	dir := t.TempDir()
	store := &input.Store{Dir: filepath.Join(dir, "cache"), MaxBytes: 1 << 20}
	names := []string{filepath.Join(dir, "a.nt"), filepath.Join(dir, "b.nt")}
	now := time.Now()
	content := []int{0, 0}
	seen := map[string]bool{}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		i, no := rnd.IntN(2), rnd.IntN(3)
		content[i] = no
		for k, name := range names {
			write(t, name, document(content[k], 1))
			if err := os.Chtimes(name, now, now); err != nil { // times and sizes are always the same
				t.Fatal(err)
			}
		}
		path := mustSegment(t, store, setOf(t, names...))
		seen[path] = true
		_, terms := quadsIn(t, path)
		want := map[string]bool{fmt.Sprintf(`"0 of %d"`, content[0]): true, fmt.Sprintf(`"0 of %d"`, content[1]): true}
		if len(terms) != len(want)*len(`"0 of 0"`) {
			t.Fatalf("%v: %s", want, terms)
		}
		for w := range want {
			if !strings.Contains(terms, w) {
				t.Fatalf("%v: %s", want, terms)
			}
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d segments of 9 pairs of contents", len(seen))
	}
}

// TestStoreFileChangesMeanwhile: a file that changes after it was hashed is kept under what was
// parsed.
func TestStoreFileChangesMeanwhile(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.nt"), filepath.Join(dir, "b.nt")
	write(t, a, document(1, 1))
	write(t, b, document(2, 1))
	store := &input.Store{Dir: filepath.Join(dir, "cache"), MaxBytes: 1 << 20}
	store.Build.Workers = 1 // else both are read before that
	var once sync.Once
	store.Build.Progress = func(segment.Progress) { once.Do(func() { write(t, b, document(3, 1)) }) }
	if _, terms := quadsIn(t, mustSegment(t, store, setOf(t, a, b))); !strings.Contains(terms, "of 3") {
		t.Fatalf("the file did not change while it was read: %s", terms)
	}
	write(t, b, document(2, 1))
	if _, terms := quadsIn(t, mustSegment(t, store, setOf(t, a, b))); strings.Contains(terms, "of 3") {
		t.Errorf("the segment of another content: %s", terms)
	}
}

func TestStoreConcurrent(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a.nt")
	write(t, a, document(1, 1000))
	cache := filepath.Join(dir, "cache")
	set := setOf(t, a)
	var group sync.WaitGroup
	paths := make([]string, 8)
	for i := range paths {
		group.Go(func() {
			store := &input.Store{Dir: cache, MaxBytes: 1 << 20}
			path, _, err := store.Segment(context.Background(), set)
			if err != nil {
				t.Error(err)
			}
			paths[i] = path
		})
	}
	group.Wait()
	for _, path := range paths {
		if n, _ := quadsIn(t, path); n != 1000 || path != paths[0] {
			t.Errorf("%s: %d quads; the first is %s", path, n, paths[0])
		}
	}
	if left, _ := os.ReadDir(cache); len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

// TestStoreBound: the segments together stay below the bound, those used last stay, and what
// died processes left goes.
func TestStoreBound(t *testing.T) {
	dir := t.TempDir()
	cache := filepath.Join(dir, "cache")
	var sets []*input.Set
	for i := range 4 {
		name := filepath.Join(dir, fmt.Sprintf("%d.nt", i))
		write(t, name, document(i, 1))
		sets = append(sets, setOf(t, name))
	}
	one := &input.Store{Dir: cache, MaxBytes: 1 << 20}
	first := mustSegment(t, one, sets[0])
	info, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	store := &input.Store{Dir: cache, MaxBytes: 2*info.Size() + info.Size()/2, TempDir: dir}
	second := mustSegment(t, store, sets[1])
	old := time.Now().Add(-time.Hour)
	for _, path := range []string{first, second} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if again := mustSegment(t, store, sets[0]); again != first {
		t.Fatalf("%s, and before %s", again, first)
	}
	left, fresh := filepath.Join(cache, ".unfinished-1.rete"), filepath.Join(cache, ".unfinished-2.rete")
	write(t, left, "half")
	write(t, fresh, "half")
	days := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(left, days, days); err != nil {
		t.Fatal(err)
	}
	third := mustSegment(t, store, sets[2])
	for path, want := range map[string]bool{first: true, second: false, third: true, left: false, fresh: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v", path, err == nil)
		}
	}

	// One that is larger than the bound is used and not kept.
	small := &input.Store{Dir: filepath.Join(dir, "small"), MaxBytes: 10, TempDir: dir}
	path, done, err := small.Segment(t.Context(), sets[3])
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := quadsIn(t, path); n != 1 {
		t.Errorf("%d quads", n)
	}
	done()
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s is still there", path)
	}
}

// TestStoreLeavesWhatIsUsed: no other process takes away a segment that was just returned, new or
// found, however small the bound is.
func TestStoreLeavesWhatIsUsed(t *testing.T) {
	dir := t.TempDir()
	var stores [3]*input.Store
	for i := range stores {
		stores[i] = &input.Store{Dir: filepath.Join(dir, "cache"), MaxBytes: 4000, TempDir: dir}
	}
	for range 2 { // they are made, and then found
		var paths []string
		for i, store := range stores {
			name := filepath.Join(dir, fmt.Sprintf("%d.nt", i))
			write(t, name, document(i, 1))
			paths = append(paths, mustSegment(t, store, setOf(t, name)))
		}
		for _, path := range paths {
			if n, _ := quadsIn(t, path); n != 1 {
				t.Errorf("%s: %d quads", path, n)
			}
		}
		if entries, _ := os.ReadDir(stores[0].Dir); len(entries) != len(stores) {
			t.Errorf("the folder has %v", entries)
		}
	}
}

// TestStoreFolderOfAnyName: what is kept is found, whatever the folder is called.
func TestStoreFolderOfAnyName(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a.nt")
	write(t, a, document(1, 1))
	for _, name := range []string{"a b", "[x]", "[x", "é' $1"} {
		store := &input.Store{Dir: filepath.Join(dir, name), MaxBytes: 1 << 20}
		first := mustSegment(t, store, setOf(t, a))
		old := time.Now().Add(-time.Hour).Truncate(time.Second)
		if err := os.Chtimes(first, old, old); err != nil {
			t.Fatal(err)
		}
		unchanged, err := os.Stat(first)
		if err != nil {
			t.Fatal(err)
		}
		again := mustSegment(t, store, setOf(t, a))
		if info, err := os.Stat(again); err != nil || !os.SameFile(info, unchanged) {
			t.Errorf("%s: it was made anew", name)
		}
	}
}

// TestStoreDamaged: a kept file that was cut, or whose header or digests changed, is made anew.
func TestStoreDamaged(t *testing.T) {
	dir := t.TempDir()
	a := filepath.Join(dir, "a.nt")
	write(t, a, document(1, 100))
	store := &input.Store{Dir: filepath.Join(dir, "cache"), MaxBytes: 1 << 20}
	path := mustSegment(t, store, setOf(t, a))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, hurt := range []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { return nil },
		func(b []byte) []byte { b[30] ^= 1; return b },
		func(b []byte) []byte { b[len(b)-20] ^= 1; return b },
		func(b []byte) []byte { return append(b, 0) },
	} {
		write(t, path, string(hurt([]byte(string(whole)))))
		if n, _ := quadsIn(t, mustSegment(t, store, setOf(t, a))); n != 100 {
			t.Errorf("%d quads", n)
		}
		if got, _ := os.ReadFile(path); string(got) != string(whole) {
			t.Error("the kept file is another one")
		}
	}
	// A folder that cannot be made keeps nothing, and hinders nothing.
	write(t, filepath.Join(dir, "file"), "")
	nowhere := &input.Store{Dir: filepath.Join(dir, "file", "cache"), MaxBytes: 1 << 20, TempDir: dir}
	if n, _ := quadsIn(t, mustSegment(t, nowhere, setOf(t, a))); n != 100 {
		t.Errorf("%d quads", n)
	}
	// Nothing is left of a document that cannot be read.
	write(t, a, "oops")
	if _, _, err := store.Segment(t.Context(), setOf(t, a)); err == nil {
		t.Error("no error")
	}
	if left, _ := os.ReadDir(store.Dir); len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

func TestIsDocument(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "data", "<http://ex/a> <http://ex/p> 1 .")
	write(t, "graph", `{"rete_manifest": 1}`)
	write(t, "a.nt", "")
	for _, d := range []string{"docs", "team"} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "team/team.rete-manifest.json", "{}")
	for name, want := range map[string]bool{
		"-": true, "data": true, "a.nt": true, "missing.ttl": true, "missing.ttl.gz": true, "docs": true, "d*": true,
		"http://ex/a.ttl": true, "graph": false, "team": false, "missing": false, "a.rete": false, "a.json": false,
		"http://ex/a.rete": false, "http://ex/a": false,
	} {
		if got := input.IsDocument(name); got != want {
			t.Errorf("%s is a document: %v", name, got)
		}
	}
}
