package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/vfs"
)

// ManifestFile is a manifest in a store: what commits go to. It may be used by
// several goroutines; commits of one ManifestFile take turns.
type ManifestFile struct {
	mux   *blob.Mux     // finds what the manifest names, relative to it
	place *blob.Mux     // finds the manifest and its archives by their full names
	name  string        // full name
	turn  chan struct{} // holds one token; its owner commits
	prove prover        // nil: segments are not looked at
	doubt atomic.Bool   // a commit may have happened, and the manifest was not read since
}

// OpenManifestFile names a manifest by its path or http(s) URL and reads
// nothing yet. Objects that it names are found relative to it. A symbolic link stands
// for the file that it leads to, whose place is the manifest's. A relative path, and
// the links on the way, are followed now and never again.
func OpenManifestFile(name string, opt blob.MuxOptions) (*ManifestFile, error) {
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
	if !blob.IsRemote(name) {
		_, file := blob.Split(name)
		if name, err = mux.Resolve(file); err != nil {
			return nil, err
		}
		name = vfs.Spelled(opt.FS, name)
	}
	place, err := blob.NewMux("", opt)
	if err != nil {
		return nil, err
	}
	return newManifestFile(mux, place, name), nil
}

func newManifestFile(mux, place *blob.Mux, name string) *ManifestFile {
	f := &ManifestFile{mux: mux, place: place, name: name, turn: make(chan struct{}, 1)}
	f.turn <- struct{}{}
	return f
}

// Name is the manifest's full name.
func (f *ManifestFile) Name() string { return f.name }

// Store finds objects by the names that the manifest uses.
func (f *ManifestFile) Store() *blob.Mux { return f.mux }

// stored is a manifest as it was read.
type stored struct {
	*Manifest
	raw       []byte
	validator string // "" if the store has no strong one
}

// Read returns the current manifest. It matches [blob.ErrNotFound] if there is
// none, and is a *[ManifestError] if it is not valid.
func (f *ManifestFile) Read(ctx context.Context) (*Manifest, error) {
	s, err := f.read(ctx, f.name)
	return s.Manifest, err
}

func (f *ManifestFile) read(ctx context.Context, name string) (stored, error) {
	s, changed, err := f.readChanged(ctx, name)
	switch {
	case err != nil:
		return stored{}, err
	case changed == nil:
		return s, nil
	case name == f.name:
		changed.Detail += "; `rete manifest fsck` shows what differs, and with --accept-manifest takes it over"
	}
	return stored{}, changed
}

// readChanged is read for a caller that can use a manifest that is not as it was written:
// changed says what shows that, nil if nothing does.
func (f *ManifestFile) readChanged(ctx context.Context, name string) (s stored, changed *ManifestError, err error) {
	raw, validator, err := f.place.ReadAll(ctx, name, MaxManifest)
	if err != nil {
		return stored{}, nil, err
	}
	m, changed, err := parseManifest(raw)
	var me *ManifestError
	switch {
	case errors.As(err, &me):
		me.File = name
		return stored{}, nil, me
	case err != nil:
		return stored{}, nil, fmt.Errorf("%s: %w", name, err)
	case changed != nil:
		changed.File = name
	}
	return stored{m, raw, validator}, changed, nil
}

// ErrNoGeneration: the manifest of that generation is not kept any more, or
// never was.
var ErrNoGeneration = errors.New("no such generation")

// ReadGeneration returns the manifest of a generation: the current one, or the
// one that its successor archived. It is [ErrNoGeneration] if there is none.
func (f *ManifestFile) ReadGeneration(ctx context.Context, generation int64) (*Manifest, error) {
	cur, err := f.read(ctx, f.name)
	if err != nil {
		return nil, err
	}
	if generation == cur.Generation {
		return cur.Manifest, nil
	}
	if generation < 0 || generation > cur.Generation {
		return nil, fmt.Errorf("%s: %w: %d; the current one is %d", f.name, ErrNoGeneration, generation, cur.Generation)
	}
	old, err := f.readArchive(ctx, generation)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w: %d is not kept: %w", f.name, ErrNoGeneration, generation, err)
	}
	if err != nil {
		return nil, err
	}
	if generation == cur.Generation-1 {
		err = f.follows(old, cur.Manifest)
	} else {
		err = f.sameHistory(old, cur.Manifest)
	}
	if err != nil {
		return nil, err
	}
	return old.Manifest, nil
}

// sameHistory checks that an archived manifest is of the lineage of a later one.
func (f *ManifestFile) sameHistory(old stored, next *Manifest) error {
	if old.Lineage == next.Lineage || old.Lineage == "" {
		return nil
	}
	return &ManifestError{File: f.archiveName(old.Generation), Line: 1, Column: 1, Path: "$.lineage",
		Detail: fmt.Sprintf("%s is of another history; the manifest has %s", old.Lineage, next.Lineage)}
}

// follows checks that an archived manifest is the one that its successor pins.
func (f *ManifestFile) follows(old stored, next *Manifest) error {
	if err := f.sameHistory(old, next); err != nil {
		return err
	}
	if p := next.pinOf(old.Generation); p != nil && p.Hash != hashOf(old.raw) {
		return &ManifestError{File: f.archiveName(old.Generation), Line: 1, Column: 1, Path: "$",
			Detail: fmt.Sprintf("it is not what generation %d pins: blake3_16 %x, found %x", next.Generation, p.Hash, hashOf(old.raw))}
	}
	return nil
}

func (f *ManifestFile) readArchive(ctx context.Context, generation int64) (stored, error) {
	s, err := f.read(ctx, f.archiveName(generation))
	if err == nil && s.Generation != generation {
		err = &ManifestError{File: f.archiveName(generation), Line: 1, Column: 1, Path: "$.generation",
			Detail: fmt.Sprintf("expected %d, found %d", generation, s.Generation)}
	}
	return s, err
}

// archiveName is the full name of an archived generation: <manifest>.gG.
func (f *ManifestFile) archiveName(generation int64) string {
	suffix := fmt.Sprintf(".g%d", generation)
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

// archive puts what was read under the name of its generation. Other bytes
// there mean that two histories share the place.
func (f *ManifestFile) archive(ctx context.Context, cur stored) (*FileRef, error) {
	name := f.archiveName(cur.Generation)
	_, err := f.place.Put(ctx, name, cur.raw, blob.IfAbsent())
	if errors.Is(err, blob.ErrExists) {
		var old []byte
		if old, _, err = f.place.ReadAll(ctx, name, MaxManifest); err == nil && hashOf(old) != hashOf(cur.raw) {
			return nil, fmt.Errorf("%w: %s holds another generation %d than %s; keep one of them elsewhere",
				ErrTwoHistories, name, cur.Generation, f.name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("archiving generation %d: %w", cur.Generation, err)
	}
	_, file := blob.Split(name)
	return &FileRef{URL: file, Size: int64(len(cur.raw)), Hash: hashOf(cur.raw)}, nil
}

// hashOf is blake3_16 over the bytes of a manifest.
func hashOf(b []byte) [16]byte {
	h := blake3.Sum256(b)
	return [16]byte(h[:16])
}

func hex128(b [16]byte) string { return hex.EncodeToString(b[:]) }
