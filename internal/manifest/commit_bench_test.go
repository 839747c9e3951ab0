package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// BenchmarkCommit is one local commit of a manifest with a hundred entries. Its
// limit, BenchmarkCommitLimit, is the two files that it must make durable.
func BenchmarkCommit(b *testing.B) {
	f, err := manifest.Open(filepath.Join(b.TempDir(), manifestName), blob.MuxOptions{})
	if err != nil {
		b.Fatal(err)
	}
	m := &manifest.Manifest{Name: "g"}
	for n := range int64(100) {
		m.Log = append(m.Log, manifest.Entry{Adds: ref(n)})
	}
	if _, err := f.Init(b.Context(), nil, m); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_, err := f.Commit(b.Context(), nil, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
			cur.Log[0].Adds.Size++
			return cur, nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommitLimit(b *testing.B) {
	dir := b.TempDir()
	data := make([]byte, 20<<10)
	for b.Loop() {
		for _, name := range []string{"a", "b"} {
			if _, err := vfs.WriteFile(vfs.OS(), filepath.Join(dir, name), data, os.Rename); err != nil {
				b.Fatal(err)
			}
		}
	}
}
