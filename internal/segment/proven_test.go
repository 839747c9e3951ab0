package segment_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/tile"
)

// sameFile is an object that says of itself that it is unchanged.
type sameFile struct {
	*blobtest.Counter
	id string
}

func (f sameFile) Identity() string { return f.id }

// TestHashedOnce: a file without a pinned map is hashed whole by the first that
// opens it; others go by its identity, as long as it has one.
func TestHashedOnce(t *testing.T) {
	ctx := context.Background()
	file, _ := build(t, nil, manyQuads(20_000))
	count := func(id string) int64 {
		obj := sameFile{blobtest.Counting(blob.Bytes("same.rete", file)), id}
		s, err := segment.Open(ctx, obj, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Count(ctx, 0, tile.SPO, 1); err != nil {
			t.Fatal(err)
		}
		return obj.BytesRead()
	}
	half := int64(len(file) / 2)
	if n := count("a"); n < half {
		t.Errorf("first: %d bytes read", n)
	}
	if n := count("a"); n > half {
		t.Errorf("second: %d bytes read", n)
	}
	if n := count("b"); n < half {
		t.Errorf("changed: %d bytes read", n)
	}
	for range 2 {
		if n := count(""); n < half {
			t.Errorf("of unknown identity: %d bytes read", n)
		}
	}
}

// TestIdentity: a fresh file has none, an old one keeps it until it is touched.
func TestIdentity(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	name := filepath.Join(dir, "a.rete")
	if err := os.WriteFile(name, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	obj, err := blob.NewLocal(vfs.OS(), dir).Open(ctx, "a.rete")
	if err != nil {
		t.Fatal(err)
	}
	defer obj.Close()
	identity := obj.(interface{ Identity() string }).Identity
	if id := identity(); id != "" {
		t.Errorf("a fresh file has identity %q", id)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if id := identity(); id != "" {
		t.Errorf("a file whose inode was changed just now has identity %q", id)
	}
}
