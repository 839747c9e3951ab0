package compaction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/vfs"
)

// TestTables: tables of which memory has a few pages, or none, hold what arrays hold.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		folder := scratch.New(vfs.OS(), dir, 0)
		defer folder.Close()
		p := &pager{folder: folder, room: int64(rapid.IntRange(0, 5).Draw(t, "pages") * pageLen)}
		tables, want := [2]*table{}, [2][]uint32{}
		for i := range tables {
			n := rapid.IntRange(1, 5*pageLen).Draw(t, "numbers")
			tables[i], want[i] = p.table(uint64(n)), make([]uint32, n)
		}
		var group grouping
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, 1).Draw(t, "table")
			table, has := tables[i], want[i]
			ids := make([]uint32, rapid.SampledFrom([]int{1, 3, 40}).Draw(t, "ids"))
			for k := range ids {
				ids[k] = uint32(rapid.IntRange(0, int(table.n)-1).Draw(t, "id"))
			}
			var err error
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				for _, id := range ids {
					err = errors.Join(err, table.set(id, id+7))
					has[id] = id + 7
				}
			case 1:
				err = group.mark(table, ids, 1<<30)
				for _, id := range ids {
					has[id] |= 1 << 30
				}
			case 2:
				err = table.replace(context.Background(), func(page []uint32) error {
					for k := range page {
						page[k] += 3
					}
					return nil
				})
				for k := range has {
					has[k] += 3
				}
			case 3:
				out := make([]uint32, len(ids))
				var n int
				if n, err = group.lookup(table, ids, out); n != len(ids) {
					t.Fatalf("%d of %d are there", n, len(ids))
				}
				for k, id := range ids {
					if out[k] != has[id] {
						t.Fatalf("number %d is %d, want %d", id, out[k], has[id])
					}
				}
				ids[len(ids)/2] = uint32(table.n)
				if n, err := group.lookup(table, ids, out); n != len(ids)/2 || err != nil {
					t.Fatalf("a number that is not there: %d, %v", n, err)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var v view
		for i, table := range tables {
			for k, w := range want[i] {
				if got, err := v.get(table, uint32(k)); err != nil || got != w {
					t.Fatalf("number %d is %d, want %d, %v", k, got, w, err)
				}
			}
		}
	})
}

// TestMostTerms: a table may have a number for each id of 32 bits, also where an int has no more bits.
func TestMostTerms(t *testing.T) {
	p := &pager{room: 3 * pageLen}
	l := &layer{counts: segment.Counts{Shared: 1 << 31, Subjects: 1<<31 - 1, Objects: 1}}
	l.makeMaps(p)
	last := []uint32{math.MaxUint32, 0, 1<<31 + 1}
	for i, id := range last {
		if err := l.ids[i].set(id, 7); err != nil {
			t.Fatal(err)
		}
	}
	var group grouping
	for i, id := range last {
		out := make([]uint32, 1)
		if n, err := group.lookup(l.ids[i], []uint32{id}, out); n != 1 || err != nil || out[0] != 7 {
			t.Errorf("map %d: %d, %v, %v", i, n, out, err)
		}
	}
	if n, err := group.lookup(l.ids[2], []uint32{1<<31 + 2}, last); n != 0 || err != nil {
		t.Errorf("an id that is not there: %d, %v", n, err)
	}
}

// termLog is a log of quads whose terms are hardly used twice, opened, and its visible set.
func termLog(t *testing.T, n int) (run [][2]source, visible [][4]string) {
	var deleted [][4]string
	for i := range n {
		// Subjects, objects, and in part both: the order of one is not that of another.
		q := [4]string{fmt.Sprintf("<http://e/%d>", i*7919%n), fmt.Sprintf("<http://p/%d>", i%3), fmt.Sprintf("<http://e/%d>", n-n/4+i*31%n), ""}
		if i%10 == 0 {
			deleted = append(deleted, q)
		} else {
			visible = append(visible, q)
		}
	}
	c := cache.New(8 << 20)
	open := func(name string, quads [][4]string) *segment.File {
		data, built := segtest.Build(t, quads, &segment.WriterOptions{Codec: segment.RawCodec})
		s, err := segment.Open(t.Context(), blob.Bytes(name, data), &segment.Options{Pin: built.Pin(), Cache: c})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return segment.FileOf(s)
	}
	base := open("base", append(visible[:len(visible):len(visible)], deleted...))
	return opened([]Entry{{Adds: base}, {Dels: open("deleted", deleted)}}), visible
}

// paged is a compaction with little memory: pages of maps stay there, and the rows of a batch.
func paged(fsys vfs.FS, run [][2]source, dir string, pages, batch int) *job {
	opt := &Options{Workers: 2, MaxMemory: 1}
	opt.TempDir, opt.Codec, opt.Orders = dir, segment.RawCodec, 3
	j := newJob(fsys, run, adds, opt)
	j.pager.room, j.rows = int64(pages*pageLen), batch
	return j
}

type writerFunc func(p []byte) (int, error)

// Write implements [io.Writer].
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestPagedMaps: maps many times larger than their memory give the same bytes, are given back once they
// were read, and leave nothing.
func TestPagedMaps(t *testing.T) {
	run, visible := termLog(t, 25_000)
	want, _ := segtest.Build(t, visible, &segment.WriterOptions{Codec: segment.RawCodec, Orders: 3, Canonical: true})
	dir := t.TempDir()
	for _, c := range []struct{ pages, batch int }{{6, leastBatch}, {4, 50_000}} {
		j := paged(vfs.OS(), run, dir, c.pages, c.batch)
		if err := j.makeMaps(t.Context()); err != nil {
			t.Fatal(err)
		}
		held, all := 0, 0
		tables := []*table{j.nodes.table, j.preds.table}
		for _, l := range j.layers {
			tables = append(tables, l.ids[:]...)
		}
		for _, m := range tables {
			for k, page := range m.pages {
				held += len(page)
				all += m.length(uint32(k))
			}
		}
		if held > c.pages*pageLen || all < 4*held {
			t.Errorf("%+v: %d numbers in memory of %d", c, held, all)
		}
		var out bytes.Buffer
		first := writerFunc(func(p []byte) (int, error) {
			if out.Len() == 0 && (j.pager.file != nil || j.nodes.table != nil || j.layers[0].ids[0] != nil) {
				t.Errorf("%+v: maps are there when the file is put together", c)
			}
			return out.Write(p)
		})
		if _, err := j.write(t.Context(), first); err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%+v: %v, other bytes", c, err)
		}
		if err := j.folder.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// TestPagedFaults: whichever operation on temporary files fails, or is the last before the context ends, that
// is the error, nothing is written, and the next run leaves nothing.
func TestPagedFaults(t *testing.T) {
	run, _ := termLog(t, 6_000)
	for k, more := 1, true; more; k += 1 + k*3/4 {
		for _, cancels := range []bool{false, true} {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			fail, hit := vfs.FailAt(k, vfs.ErrInjected, nil)
			disk := vfs.NewFault(vfs.OS(), func(c vfs.Call) error {
				err := fail(c)
				if err != nil && cancels {
					cancel()
					return nil
				}
				return err
			})
			var out bytes.Buffer
			_, err := paged(disk, run, dir, 2, leastBatch).run(ctx, &out)
			cancel()
			if more = hit(); !more {
				break
			}
			want := vfs.ErrInjected
			if cancels {
				want = context.Canceled
			}
			if err != nil && (!errors.Is(err, want) || out.Len() > 0) {
				t.Errorf("operation %d, cancelled %v: %v, %d bytes are written", k, cancels, err, out.Len())
			}
			next := scratch.New(vfs.OS(), dir, 0)
			if _, err := next.Create(); err != nil {
				t.Error(err)
			}
			next.Close()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("operation %d: left: %v, %v", k, left, err)
			}
		}
	}
}

// TestPagedDamage: a page that is not what was written is damage, and where there is no room for temporary
// files the error says how much is needed.
func TestPagedDamage(t *testing.T) {
	run, _ := termLog(t, 12_000)
	var out bytes.Buffer
	other := vfs.NewFault(vfs.OS(), func(c vfs.Call) error {
		if c.Op == vfs.OpRead && c.Size == pageBytes {
			return damageFile(c.Name)
		}
		return nil
	})
	if _, err := paged(other, run, t.TempDir(), 2, leastBatch).run(t.Context(), &out); !errors.Is(err, damage.Err) {
		t.Errorf("pages that change: %v", err)
	}
	j := paged(vfs.OS(), run, t.TempDir(), 2, leastBatch)
	j.folder = scratch.New(vfs.OS(), t.TempDir(), 100_000)
	j.folder.Expect(5<<20, false)
	j.pager.folder = j.folder
	if _, err := j.run(t.Context(), &out); !errors.Is(err, scratch.ErrFull) || !strings.Contains(err.Error(), "about 5.0 MiB are needed") {
		t.Errorf("no room: %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("%d bytes are written", out.Len())
	}
}

// damageFile changes a byte of a file.
func damageFile(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for i := 0; i < len(b); i += pageBytes / 2 {
		b[i] ^= 1
	}
	return os.WriteFile(name, b, 0o600)
}
