package engine_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/vfs"
)

// lossKinds are the errors of a segment that cannot be had, of which one matches.
var lossKinds = []error{engine.ErrWrongSegment, engine.ErrMissingSegment, engine.ErrExpired}

func checkKind(t *testing.T, err, want error, name string) {
	t.Helper()
	for _, k := range lossKinds {
		if errors.Is(err, k) != (k == want) {
			t.Errorf("got %v, want %v and no other", err, want)
		}
	}
	if want != nil && (!strings.Contains(err.Error(), want.Error()) || !strings.Contains(err.Error(), name)) {
		t.Errorf("%v does not say what it is, or does not name %s", err, name)
	}
	if errors.Is(err, damage.Err) != (want == engine.ErrWrongSegment) {
		t.Errorf("%v: damage is %v", err, errors.Is(err, damage.Err))
	}
}

// evict closes all files of segments that are open between reads, as other segments of the
// process would that are read.
func evict(t *testing.T) {
	t.Helper()
	full := vfs.NewFault(vfs.NewMem(), func(vfs.Call) error { return syscall.EMFILE })
	if _, err := blob.NewLocal(full, "").Open(t.Context(), "x"); !errors.Is(err, syscall.EMFILE) {
		t.Fatal(err)
	}
}

// spoilers are what can come to the file of a segment, and the error that follows.
func spoilers(t *testing.T) map[string]struct {
	do   func(m *vfs.Mem, name string) error
	want error
} {
	other, _ := segtest.Build(t, [][4]string{{"<http://e/z>", "<http://e/p>", "<http://e/z>", ""}}, nil)
	replace := func(m *vfs.Mem, name string, b []byte) error {
		_, err := vfs.WriteFile(m, name, b, m.Rename)
		return err
	}
	return map[string]struct {
		do   func(m *vfs.Mem, name string) error
		want error
	}{
		"removed":         {func(m *vfs.Mem, name string) error { return m.Remove(name) }, engine.ErrMissingSegment},
		"another segment": {func(m *vfs.Mem, name string) error { return replace(m, name, other) }, engine.ErrWrongSegment},
		"empty":           {func(m *vfs.Mem, name string) error { return replace(m, name, nil) }, engine.ErrWrongSegment},
		"longer": {func(m *vfs.Mem, name string) error {
			b, err := vfs.ReadFile(m, name, 1<<20)
			if err != nil {
				return err
			}
			return replace(m, name, append(b, 0))
		}, engine.ErrWrongSegment},
		"another hash": {func(m *vfs.Mem, name string) error {
			b, err := vfs.ReadFile(m, name, 1<<20)
			if err != nil {
				return err
			}
			b[8] ^= 1
			return replace(m, name, b)
		}, engine.ErrWrongSegment},
	}
}

// sealed makes a graph of two sealed quads and returns the file of the first one.
func sealed(t *testing.T, m *vfs.Mem) (name string) {
	t.Helper()
	db := initDB(t, m)
	for i := range 2 {
		write(t, db, one(i))
		seal(t, db)
	}
	name = db.Manifest().Log[0].Adds.URL
	closeDB(t, db)
	return name
}

// A segment that is another one, is missing, or was collected is told by three errors, and
// all is well again when it is back.
func TestSegmentCannotBeOpened(t *testing.T) {
	for name, c := range spoilers(t) {
		t.Run(name, func(t *testing.T) {
			m := vfs.NewMem()
			file := sealed(t, m)
			good, err := vfs.ReadFile(m, file, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			reader, writer := openDB(t, m), openDB(t, m)
			if err := c.do(m, file); err != nil {
				t.Fatal(err)
			}
			_, err = reader.Snapshot(t.Context())
			checkKind(t, err, c.want, file)
			_, err = reader.At(t.Context(), 1)
			checkKind(t, err, nil, file) // which has no segment
			_, err = reader.At(t.Context(), 2)
			checkKind(t, err, c.want, file)
			checkKind(t, writer.Own(t.Context()), c.want, file)
			_, err = writer.Compact(t.Context(), nil)
			checkKind(t, err, c.want, file)

			if _, err := vfs.WriteFile(m, file, good, m.Rename); err != nil {
				t.Fatal(err)
			}
			checkVisible(t, snapshot(t, reader), model.Fold([]model.Entry{firstQuads(2)}))
			write(t, writer, one(2))
		})
	}
}

// A segment that is lost while it is in use is an error of the queries that need it, the
// same one as at the start, as long as it is not back.
func TestSegmentLostInUse(t *testing.T) {
	for name, c := range spoilers(t) {
		for _, owned := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				m := vfs.NewMem()
				file := sealed(t, m)
				good, err := vfs.ReadFile(m, file, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				opt := memOptions(m)
				opt.Cache = engine.NewCache(1) // which keeps nothing
				t.Cleanup(func() { opt.Cache.Close() })
				opt.CacheBytes = 1 // nor are small layers read at the start
				db, err := engine.Open(t.Context(), manifestName, opt)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { db.Close() })
				if owned {
					if err := db.Own(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				snap := snapshot(t, db)
				evict(t)
				if err := c.do(m, file); err != nil {
					t.Fatal(err)
				}
				read := func(s *engine.Snapshot) error { _, err := viewtest.Outcome(t.Context(), s.View); return err }
				checkKind(t, read(snap), c.want, file)
				if _, err := db.Refresh(t.Context()); err == nil {
					t.Error("a refresh does not meet it")
				} else {
					checkKind(t, err, c.want, file)
				}
				if owned {
					_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return change(t.Context(), tx, one(2)) })
					checkKind(t, err, c.want, file)
				}
				if _, err := vfs.WriteFile(m, file, good, m.Rename); err != nil {
					t.Fatal(err)
				}
				if _, err := db.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				write(t, db, one(2))
				checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(3)}))
			})
		}
	}
}

// A snapshot whose segments were collected has expired, whether it is opened or read.
func TestSnapshotExpires(t *testing.T) {
	m := vfs.NewMem()
	file := sealed(t, m)
	opt := memOptions(m)
	opt.Cache = engine.NewCache(1)
	t.Cleanup(func() { opt.Cache.Close() })
	opt.CacheBytes = 1
	reader, err := engine.Open(t.Context(), manifestName, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	snap, late := snapshot(t, reader), openDB(t, m)
	db := openDB(t, m)
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		write(t, db, one(2+i))
		seal(t, db)
		if _, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Grace: time.Nanosecond, Yes: true}); err != nil {
			t.Fatal(err)
		}
	}
	evict(t)
	_, err = viewtest.Outcome(t.Context(), snap.View)
	checkKind(t, err, engine.ErrExpired, file)
	_, err = late.Snapshot(t.Context())
	checkKind(t, err, engine.ErrExpired, manifestName) // any of its segments
	for _, db := range []*engine.DB{reader, late} {
		if _, err := db.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
		checkVisible(t, snapshot(t, db), model.Fold([]model.Entry{firstQuads(4)}))
	}
}
