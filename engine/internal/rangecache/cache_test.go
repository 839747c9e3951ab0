package rangecache_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/rangecache"
)

// far is an object that counts what is read of it.
type far struct {
	blob.Object
	reads *atomic.Int64
}

func (f far) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	f.reads.Add(int64(len(rs)))
	return f.Object.ReadRanges(ctx, rs, bufs)
}

// object returns an object of a cache over data, and what counts its reads.
func object(t *testing.T, c *rangecache.Cache, key string, data []byte) (blob.Object, *atomic.Int64) {
	reads := new(atomic.Int64)
	o := c.Object(key, "far://x", int64(len(data)), func(context.Context) (blob.Object, error) {
		return far{blob.Bytes("far://x", data), reads}, nil
	})
	t.Cleanup(func() { o.Close() })
	return o, reads
}

func openCache(t *testing.T, dir string, max int64) *rangecache.Cache {
	t.Helper()
	c, err := rangecache.Open(dir, max)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check reads ranges of 100 bytes.
func check(t *testing.T, o blob.Object, data []byte, offs ...int64) {
	t.Helper()
	rs, bufs := make([]blob.Range, len(offs)), make([][]byte, len(offs))
	for i, off := range offs {
		rs[i], bufs[i] = blob.Range{Off: off, Len: 100}, make([]byte, 100)
	}
	if err := o.ReadRanges(t.Context(), rs, bufs); err != nil {
		t.Fatal(err)
	}
	for i, off := range offs {
		if !bytes.Equal(bufs[i], data[off:off+100]) {
			t.Errorf("wrong bytes at %d", off)
		}
	}
}

func sample(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * i >> 3)
	}
	return b
}

func entries(t *testing.T, dir string) (list []string, total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		list, total = append(list, name), total+st.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, total
}

// What was read is not read again, by another cache of the directory neither; other keys are
// other objects.
func TestKept(t *testing.T) {
	dir, data := t.TempDir(), sample(10_000)
	o, reads := object(t, openCache(t, dir, 0), "a", data)
	check(t, o, data, 0, 500, 9900)
	check(t, o, data, 500, 700)
	if n := reads.Load(); n != 4 {
		t.Errorf("%d ranges were read, want 4", n)
	}
	again, reads := object(t, openCache(t, dir, 0), "a", data)
	check(t, again, data, 9900, 500, 0, 700)
	if n := reads.Load(); n != 0 {
		t.Errorf("%d ranges were read again", n)
	}
	other := sample(20_000)[10_000:]
	o, reads = object(t, openCache(t, dir, 0), "b", other)
	if check(t, o, other, 0, 500); reads.Load() != 2 {
		t.Errorf("%d ranges of another object were read, want 2", reads.Load())
	}
}

// An entry that was changed, cut or made longer is read anew.
func TestHurt(t *testing.T) {
	dir, data := t.TempDir(), sample(1000)
	o, _ := object(t, openCache(t, dir, 0), "a", data)
	check(t, o, data, 300)
	names, _ := entries(t, dir)
	if len(names) != 1 {
		t.Fatalf("entries %v, want one", names)
	}
	good, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var hurt [][]byte
	for i := range good {
		b := bytes.Clone(good)
		b[i] ^= 0x10
		hurt = append(hurt, b, good[:i])
	}
	for _, b := range append(hurt, append(bytes.Clone(good), 0)) {
		if err := os.WriteFile(names[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		again, reads := object(t, openCache(t, dir, 0), "a", data)
		if check(t, again, data, 300); reads.Load() != 1 {
			t.Fatalf("%d bytes, changed, were taken", len(b))
		}
	}
}

// The entries that were used last stay within the bound; what a crash has left goes.
func TestBound(t *testing.T) {
	dir, data := t.TempDir(), sample(100_000)
	left := filepath.Join(dir, "writing-1")
	old := time.Now().Add(-2 * time.Hour)
	if err := os.WriteFile(left, data[:5000], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	c := openCache(t, dir, 10_000)
	o, _ := object(t, c, "a", data)
	for off := int64(0); off < 90_000; off += 100 {
		check(t, o, data, off)
	}
	if _, total := entries(t, dir); total > 12_000 {
		t.Errorf("%d bytes are kept, 10,000 are allowed", total)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("what a crash left is still there")
	}
	again, reads := object(t, c, "a", data)
	if check(t, again, data, 89_900); reads.Load() != 0 {
		t.Error("what was used last is gone")
	}
}

// Several processes may use a directory, and one of them drop an object.
func TestTogether(t *testing.T) {
	dir, data := t.TempDir(), sample(50_000)
	var all sync.WaitGroup
	for g := range 4 {
		c := openCache(t, dir, 20_000)
		o, _ := object(t, c, "a", data)
		all.Go(func() {
			for i := range 200 {
				off := int64((i*37 + g*11) % 490 * 100)
				p := make([]byte, 100)
				if err := blob.ReadAt(t.Context(), o, p, off); err != nil || !bytes.Equal(p, data[off:off+100]) {
					t.Errorf("at %d: wrong bytes, %v", off, err)
				}
				if i%50 == 49 {
					o.(interface{ Discard() }).Discard()
				}
			}
		})
	}
	all.Wait()
}

// A directory that cannot be written to is no error of reading.
func TestUnwritable(t *testing.T) {
	dir, data := t.TempDir(), sample(1000)
	c := openCache(t, filepath.Join(dir, "cache"), 0)
	if err := os.RemoveAll(filepath.Join(dir, "cache")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cache"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o, reads := object(t, c, "a", data)
	check(t, o, data, 0)
	if check(t, o, data, 0); reads.Load() != 2 {
		t.Errorf("%d reads, want 2", reads.Load())
	}
	if _, err := rangecache.Open(filepath.Join(dir, "cache"), 0); err == nil {
		t.Error("a file was taken for a directory")
	}
}
