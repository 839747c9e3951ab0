package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/vfs"
)

const (
	filesDir = "files"
	lockName = "backup.lock"
)

// Place is where backups lie. It may be used by several goroutines.
type Place struct {
	name  string
	store *blob.Mux
	fs    vfs.FS // nil if the place is not local
}

// Open names a place: a folder, which need not exist, or scheme://… of a store that is written to
// and lists. Nothing is read or made yet.
func Open(name string, opt blob.MuxOptions) (*Place, error) {
	if opt.FS == nil {
		opt.FS = vfs.OS()
	}
	if name == "" {
		return nil, errors.New("the name of the place is empty")
	}
	p := &Place{name: name}
	if !blob.IsRemote(name) {
		p.fs = opt.FS
		var err error // bound to the working directory of now
		if p.name, err = p.fs.Bind(name + string(filepath.Separator)); err != nil {
			return nil, err
		}
	} else if !strings.HasSuffix(name, "/") {
		p.name += "/"
	}
	var err error
	if p.store, err = blob.NewMux(p.name, opt); err != nil {
		return nil, err
	}
	if u, err := url.Parse(p.name); err == nil && p.fs == nil {
		p.name = u.Redacted()
	}
	return p, nil
}

// holds reports whether a name is one of a file in the place itself.
func (p *Place) holds(name string) bool {
	full, err := p.store.Resolve("x")
	dir, _ := blob.Split(full)
	of, _ := blob.Split(name)
	return err == nil && dir == of
}

// Name is the full name of the place.
func (p *Place) Name() string { return p.name }

// prepare makes the folders and takes the lock, for which it waits, and which the function
// that it returns gives back. A place that is not local has none: its writes are conditional.
func (p *Place) prepare(ctx context.Context, wait time.Duration) (release func(), err error) {
	if p.fs == nil {
		return func() {}, nil
	}
	if err := makeDir(p.fs, filepath.Join(p.name, filesDir)); err != nil {
		return nil, err
	}
	name := filepath.Join(p.name, lockName)
	lock, err := p.fs.TryLock(name)
	if errors.Is(err, vfs.ErrLocked) && wait > 0 {
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if lock, err = p.fs.Lock(limited, name); err != nil && ctx.Err() == nil && limited.Err() != nil {
			err = vfs.ErrLocked
		}
	}
	if errors.Is(err, vfs.ErrLocked) {
		return nil, fmt.Errorf("%s: %w", p.name, ErrBusy)
	}
	if err != nil {
		return nil, err
	}
	return func() { lock.Close() }, nil
}

// makeDir makes a folder that survives a crash: so do those above it that are new.
func makeDir(fsys vfs.FS, dir string) error {
	var above []string // of folders that are new
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		st, err := fsys.Stat(at)
		if err == nil && !st.IsDir() {
			return fmt.Errorf("%s is not a folder", at)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		above = append(above, filepath.Dir(at))
	}
	if len(above) == 0 {
		return nil
	}
	if err := fsys.MkdirAll(dir); err != nil {
		return err
	}
	slices.Reverse(above)
	for _, parent := range above {
		if err := fsys.SyncDir(parent); err != nil {
			return err
		}
	}
	return nil
}

// objects returns the files of the place and their sizes.
func (p *Place) objects(ctx context.Context) (map[Digest]int64, error) {
	list, err := p.store.List(ctx, filesDir+"/")
	if err != nil {
		return nil, err
	}
	have := map[Digest]int64{}
	for _, info := range list {
		var d Digest
		if d.UnmarshalText([]byte(baseOf(info.Name))) == nil {
			have[d] = info.Size
		}
	}
	return have, nil
}

// uploadGrace is how long an upload in parts may take before it counts as one of a writer that has died.
const uploadGrace = 24 * time.Hour

// tidy removes what crashes left half written. The lock is held.
func (p *Place) tidy(ctx context.Context, now time.Time) error {
	if p.fs == nil {
		return p.abortUploads(ctx, now)
	}
	for _, dir := range []string{"", filesDir + "/"} {
		list, err := p.store.List(ctx, dir)
		if err != nil {
			return err
		}
		for _, info := range list {
			base := baseOf(info.Name)
			if !vfs.IsTemp(base) {
				continue
			}
			if err := p.store.Remove(ctx, dir+base); err != nil && !errors.Is(err, blob.ErrNotFound) {
				return err
			}
		}
	}
	return nil
}

// abortUploads throws away the parts of files that were never whole. A store that refuses it keeps
// them, and can be written to all the same.
func (p *Place) abortUploads(ctx context.Context, now time.Time) error {
	list, err := p.store.Uploads(ctx, filesDir+"/")
	for i := 0; err == nil && i < len(list); i++ {
		u := &list[i]
		var d Digest
		if d.UnmarshalText([]byte(baseOf(u.Name))) != nil || u.Begun.IsZero() || now.Sub(u.Begun) < uploadGrace {
			continue
		}
		if err = u.Abort(ctx); errors.Is(err, blob.ErrNotFound) {
			err = nil
		}
	}
	return context.Cause(ctx)
}

func baseOf(name string) string { return path.Base(filepath.ToSlash(name)) }

func objectName(d Digest) string { return filesDir + "/" + d.String() }

// List returns the backups of the place, graph by graph, of each the oldest first. A list that is damaged is an error.
func (p *Place) List(ctx context.Context) ([]*Backup, error) {
	names, err := p.names(ctx)
	if err != nil {
		return nil, err
	}
	var all []*Backup
	for _, name := range names {
		b, err := p.read(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	sortByAge(all)
	return all, nil
}

// names returns the names of all lists.
func (p *Place) names(ctx context.Context) (names []string, err error) {
	infos, err := p.store.List(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, info := range infos {
		if base := baseOf(info.Name); strings.HasSuffix(base, Suffix) {
			names = append(names, base)
		}
	}
	return names, nil
}

func (p *Place) read(ctx context.Context, name string) (*Backup, error) {
	text, _, err := p.store.ReadAll(ctx, name, maxList)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, fmt.Errorf("%s: %w: %s", p.name, ErrNone, name)
	}
	if err != nil {
		return nil, err
	}
	full, err := p.store.Resolve(name)
	if err != nil {
		return nil, err
	}
	return parseList(full, text)
}

// Find returns the backup of a name, or the newest one if the name is "". With backups
// of several graphs in the place there is no newest one.
func (p *Place) Find(ctx context.Context, name string) (*Backup, error) {
	if name != "" {
		return p.read(ctx, baseOf(name))
	}
	all, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w: there is none", p.name, ErrNone)
	}
	newest := all[len(all)-1]
	for _, b := range all {
		if b.Graph != newest.Graph || b.Lineage != newest.Lineage {
			return nil, fmt.Errorf("%s has backups of several graphs, among them %s and %s: say which one", p.name, b.Name, newest.Name)
		}
	}
	return newest, nil
}
