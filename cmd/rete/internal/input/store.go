package input

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// Store builds documents into segments. Those it keeps are files of a folder, under the hash
// of what they are made of and their own pin:
//
//	KEY-HASH-EXTRA.rete
//
// so a file is used only if it is, byte for byte, what was made of the very documents that are
// asked for. Several processes may use one folder: a file appears whole, and never changes.
type Store struct {
	// Dir is the folder of the kept segments, made on first use; "" keeps none.
	Dir string
	// MaxBytes bounds the kept segments together. Those that were used least recently go, but
	// none that was used in the last minute.
	MaxBytes int64
	// TempDir is where segments that are not kept go, and what can be read once. Default: that
	// of the system.
	TempDir string
	// Build says how segments are built.
	Build segment.BuildOptions
}

// Set is documents, and how they become one segment.
type Set struct {
	Documents []Document
	// Graph takes the quads of their default graphs; zero: the default graph does.
	Graph rdf.Term
}

// suffix ends the names of kept segments; unfinished begins those that are being written.
const (
	suffix     = ".rete"
	unfinished = ".unfinished-"
)

// leftAfter is how long a file that is being written may stay unchanged before it counts as
// left by a process that died.
const leftAfter = 24 * time.Hour

// inUse is how long a kept segment stays after its last use, whatever the bound: a process that
// was given its path may not have opened it yet.
const inUse = time.Minute

// Segment returns the path of a segment of the documents, one that was kept or a new one.
// done frees what is not kept; the segment must not be opened after it.
func (s *Store) Segment(ctx context.Context, set *Set) (path string, done func(), err error) {
	w := &work{store: s, set: set}
	if err := w.spool(ctx); err != nil {
		w.free()
		return "", nil, err
	}
	if s.Dir != "" && s.MaxBytes > 0 {
		key, err := w.key(ctx)
		if err != nil {
			w.free()
			return "", nil, err
		}
		if path := s.find(ctx, key); path != "" {
			w.free()
			return path, func() {}, nil
		}
	}
	path, err = w.make(ctx)
	if err != nil {
		w.free()
		return "", nil, err
	}
	return path, w.free, nil
}

// find returns the kept segment of a key, "" if there is none. One that is not what its name
// says is removed.
func (s *Store) find(ctx context.Context, key string) string {
	found, err := fs.Glob(os.DirFS(s.Dir), key+"-*"+suffix)
	if err != nil {
		return ""
	}
	for _, name := range found {
		path := filepath.Join(s.Dir, name)
		if s.intact(ctx, path) {
			now := time.Now()
			if errors.Is(os.Chtimes(path, now, now), fs.ErrNotExist) {
				continue // another process removed it
			}
			return path // where the time cannot be set, it only goes earlier
		}
		_ = os.Remove(path)
	}
	return ""
}

// intact reports whether a kept segment is what its name says. The pin covers the digest of
// every unit, so what is read later is compared with it too.
func (s *Store) intact(ctx context.Context, path string) bool {
	mux, err := blob.NewMux("", blob.MuxOptions{})
	if err != nil {
		return false
	}
	obj, err := mux.Open(ctx, path)
	if err != nil {
		return false
	}
	pin, header, err := segment.PinOf(ctx, obj)
	if err = errors.Join(err, obj.Close()); err != nil || int64(header.FileSize()) != pin.Size {
		return false
	}
	return strings.HasSuffix(path, "-"+pinName(pin)+suffix)
}

// pinName spells the hashes of a pin.
func pinName(pin *segment.Pin) string {
	extra := ""
	if pin.Extra != nil {
		extra = hex.EncodeToString(pin.Extra[:])
	}
	return hex.EncodeToString(pin.Hash[:]) + "-" + extra
}

// keep puts a finished file into the folder under its name and makes room for it. It returns
// where the segment is now; "" if it is too large to be kept, or could not be.
func (s *Store) keep(file, key string, built *segment.Built) string {
	if built.Size > s.MaxBytes {
		return ""
	}
	path := filepath.Join(s.Dir, key+"-"+pinName(built.Pin())+suffix)
	if os.Rename(file, path) != nil {
		return ""
	}
	s.shrink(path)
	return path
}

// shrink removes the segments that were used least recently until the others fit, and what
// processes that died left. It never removes except.
func (s *Store) shrink(except string) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return
	}
	type kept struct {
		path string
		size int64
		used time.Time
	}
	var all []kept
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		path := filepath.Join(s.Dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), unfinished):
			if time.Since(info.ModTime()) > leftAfter {
				_ = os.Remove(path)
			}
		case strings.HasSuffix(e.Name(), suffix):
			total += info.Size()
			if path != except {
				all = append(all, kept{path, info.Size(), info.ModTime()})
			}
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if total <= s.MaxBytes || time.Since(k.used) < inUse {
			return
		}
		if info, err := os.Stat(k.path); err != nil || !info.ModTime().Equal(k.used) {
			continue // it is gone, or was used meanwhile
		}
		if os.Remove(k.path) == nil { // else somebody has it open, on some systems
			total -= k.size
		}
	}
}

// Remove removes a segment that turned out to be damaged.
func (s *Store) Remove(path string) { _ = os.Remove(path) }

// create makes the file that a segment is written to: in the folder of the kept ones, or
// where temporary files go. kept says which.
func (s *Store) create() (f *os.File, kept bool, err error) {
	if s.Dir != "" && s.MaxBytes > 0 {
		if err := os.MkdirAll(s.Dir, 0o700); err == nil {
			if f, err = os.CreateTemp(s.Dir, unfinished+"*"+suffix); err == nil {
				return f, true, nil
			}
		}
	}
	f, err = s.createTemp()
	return f, false, err
}

// createTemp makes the file of a segment that is not kept.
func (s *Store) createTemp() (*os.File, error) { return os.CreateTemp(s.TempDir, "rete-*"+suffix) }

// copyFile copies what can be read once into a temporary file.
func (s *Store) copyFile(ctx context.Context, r io.Reader) (string, error) {
	f, err := os.CreateTemp(s.TempDir, "rete-document-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, reading{ctx, r})
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// reading ends with the error of its context.
type reading struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (r reading) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(p)
}

// Damaged describes a kept segment whose bytes are wrong.
func Damaged(err error) error {
	return fmt.Errorf("%w; this kept copy of the documents was removed: try again", err)
}
