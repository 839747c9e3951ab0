package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/vfs"
)

// File is a manifest in a store: what commits go to. It may be used by
// several goroutines; commits of one File take turns.
type File struct {
	mux   *blob.Mux     // finds what the manifest names, relative to it
	place *blob.Mux     // finds the manifest and its archives by their full names
	name  string        // full name
	turn  ctxsync.Mutex // its owner commits
	prove Prover        // nil: segments are not looked at
	doubt atomic.Bool   // a commit may have happened, and the manifest was not read since

	trusted bool     // the store was probed; guarded by turn
	ahead   *archive // of what this file has committed last; guarded by turn
	kept    []string // ids of its last commits that changed no quad; guarded by turn
}

// Open names a manifest by its path or http(s) URL and reads
// nothing yet. Objects that it names are found relative to it. A symbolic link stands
// for the file that it leads to, whose place is the manifest's. A relative path, and
// the links on the way, are followed now and never again.
func Open(name string, opt blob.MuxOptions) (*File, error) {
	if opt.FS == nil {
		opt.FS = vfs.OS()
	}
	if links, ok := opt.FS.(interface{ Target(string) string }); ok && !blob.IsRemote(name) {
		name = links.Target(name)
	}
	dir, _ := blob.Split(name)
	mux, err := blob.NewMux(dir, opt)
	if err != nil {
		return nil, err
	}
	if blob.IsRemote(name) {
		if name, err = mux.Resolve(name); err != nil {
			return nil, err
		}
		return newFile(mux, mux, name), nil
	}
	_, file := blob.Split(name)
	if name, err = mux.Resolve(file); err != nil {
		return nil, err
	}
	name = vfs.Spelled(opt.FS, name)
	place, err := blob.NewMux("", opt)
	if err != nil {
		return nil, err
	}
	return newFile(mux, place, name), nil
}

func newFile(mux, place *blob.Mux, name string) *File {
	return &File{mux: mux, place: place, name: name}
}

// ProveWith makes every commit open the segments that it is to name. It is called before
// the first commit.
func (f *File) ProveWith(p Prover) { f.prove = p }

// Doubt reports whether a commit may have happened since the last call, without that the
// manifest was read since.
func (f *File) Doubt() bool { return f.doubt.Swap(false) }

// Name is the manifest's full name.
func (f *File) Name() string { return f.name }

// Place finds objects by their full names.
func (f *File) Place() *blob.Mux { return f.place }

// Store finds objects by the names that the manifest uses.
func (f *File) Store() *blob.Mux { return f.mux }

// Stored is a manifest as it was read.
type Stored struct {
	*Manifest
	Raw       []byte // its bytes, not to be changed
	validator string // "" if the store has no strong one
}

// Hash is blake3_16 over the bytes.
func (s *Stored) Hash() [16]byte { return hashOf(s.Raw) }

// Read returns the current manifest. It matches [blob.ErrNotFound] if there is
// none, and is a *[Error] if it is not valid.
func (f *File) Read(ctx context.Context) (*Manifest, error) {
	s, err := f.ReadStored(ctx)
	return s.Manifest, err
}

// ReadStored is Read with the bytes of the manifest.
func (f *File) ReadStored(ctx context.Context) (Stored, error) { return f.read(ctx, f.name) }

func (f *File) read(ctx context.Context, name string) (Stored, error) {
	s, changed, err := f.readChanged(ctx, name)
	switch {
	case err != nil:
		return Stored{}, err
	case changed == nil:
		return s, nil
	case name == f.name:
		changed.Detail += "; `rete manifest fsck` shows what differs, and with --accept-manifest takes it over"
	}
	return Stored{}, changed
}

// ReadChanged is ReadStored for a caller that can use a manifest that is not as it was
// written: changed says what shows that, nil if nothing does.
func (f *File) ReadChanged(ctx context.Context) (s Stored, changed *Error, err error) {
	return f.readChanged(ctx, f.name)
}

func (f *File) readChanged(ctx context.Context, name string) (s Stored, changed *Error, err error) {
	raw, validator, err := f.place.ReadAll(ctx, name, MaxBytes)
	if err != nil {
		return Stored{}, nil, err
	}
	m, changed, err := parse(raw)
	var me *Error
	switch {
	case errors.As(err, &me):
		me.File = name
		return Stored{}, nil, me
	case err != nil:
		return Stored{}, nil, fmt.Errorf("%s: %w", name, err)
	case changed != nil:
		changed.File = name
	}
	return Stored{m, raw, validator}, changed, nil
}

// ReadGeneration returns the manifest of a generation: the current one, or the
// one that its successor archived. It is [ErrNoGeneration] if there is none.
func (f *File) ReadGeneration(ctx context.Context, generation int64) (*Manifest, error) {
	cur, err := f.ReadStored(ctx)
	if err != nil {
		return nil, err
	}
	if generation == cur.Generation {
		return cur.Manifest, nil
	}
	if generation < 1 {
		return nil, fmt.Errorf("%s: %w: %d; generations begin at 1", f.name, ErrNoGeneration, generation)
	}
	if generation > cur.Generation {
		return nil, fmt.Errorf("%s: %w: %d; the current one is %d", f.name, ErrNoGeneration, generation, cur.Generation)
	}
	old, err := f.ReadArchive(ctx, generation)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w: %d is not kept: %w", f.name, ErrNoGeneration, generation, err)
	}
	if err != nil {
		return nil, err
	}
	if generation == cur.Generation-1 {
		err = f.Follows(old, cur.Manifest)
	} else {
		err = f.SameHistory(old, cur.Manifest)
	}
	if err != nil {
		return nil, err
	}
	return old.Manifest, nil
}

// SameHistory checks that an archived manifest is of the lineage of a later one.
func (f *File) SameHistory(old Stored, next *Manifest) error {
	if old.Lineage == next.Lineage || old.Lineage == "" {
		return nil
	}
	return &Error{File: f.ArchiveName(old.Generation), Line: 1, Column: 1, Path: "$.lineage",
		Detail: fmt.Sprintf("%s is of another history; the manifest has %s", old.Lineage, next.Lineage)}
}

// Follows checks that an archived manifest is the one that its successor pins.
func (f *File) Follows(old Stored, next *Manifest) error {
	if err := f.SameHistory(old, next); err != nil {
		return err
	}
	if p := next.pinOf(old.Generation); p != nil && p.Hash != old.Hash() {
		return &Error{File: f.ArchiveName(old.Generation), Line: 1, Column: 1, Path: "$",
			Detail: fmt.Sprintf("it is not what generation %d pins: blake3_16 %x, found %x", next.Generation, p.Hash, old.Hash())}
	}
	return nil
}

// ReadArchive returns the manifest that was archived as a generation. It matches
// [blob.ErrNotFound] if it is not kept.
func (f *File) ReadArchive(ctx context.Context, generation int64) (Stored, error) {
	s, err := f.read(ctx, f.ArchiveName(generation))
	if err == nil && s.Generation != generation {
		err = &Error{File: f.ArchiveName(generation), Line: 1, Column: 1, Path: "$.generation",
			Detail: fmt.Sprintf("expected %d, found %d", generation, s.Generation)}
	}
	return s, err
}

// ArchiveName is the full name of an archived generation: <manifest>.gG.
func (f *File) ArchiveName(generation int64) string { return f.NextTo(fmt.Sprintf(".g%d", generation)) }

// NextTo is the full name of the object whose name is the manifest's with a suffix.
func (f *File) NextTo(suffix string) string {
	if u, err := url.Parse(f.name); err == nil && blob.IsRemote(f.name) {
		u.Path, u.RawPath = u.Path+suffix, ""
		return u.String()
	}
	return f.name + suffix
}

// pinned is the generation of the archive that previous names, -1 if it names none.
func (m *Manifest) pinned() int64 {
	if m.Previous == nil {
		return -1
	}
	at := strings.LastIndex(m.Previous.URL, ".g")
	if at < 0 {
		return -1
	}
	g, err := strconv.ParseInt(m.Previous.URL[at+len(".g"):], 10, 64)
	if err != nil {
		return -1
	}
	return g
}

// pinOf is the pin of an archived generation, nil if previous is missing or of another
// one, as a program that does not know it leaves it.
func (m *Manifest) pinOf(generation int64) *FileRef {
	if m.pinned() != generation {
		return nil
	}
	return m.Previous
}

// IsArchived reports whether what is archived as the generation of cur is cur.
func (f *File) IsArchived(ctx context.Context, cur Stored) (bool, error) {
	raw, _, err := f.place.ReadAll(ctx, f.ArchiveName(cur.Generation), MaxBytes)
	return bytes.Equal(raw, cur.Raw), err
}

// hashOf is blake3_16 over the bytes of a manifest.
func hashOf(b []byte) [16]byte {
	h := blake3.Sum256(b)
	return [16]byte(h[:16])
}
