package folder

import (
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
)

// Names are the files that manifests name, each with the first manifest that did. The
// zero value is empty.
type Names struct {
	paths     map[string]string // full path → manifest
	elsewhere map[string]string // last element of a URL → manifest
	ids       map[int64][]identity
	stale     bool // paths were added since ids were made
}

type identity struct {
	info fs.FileInfo
	by   string
}

// Add adds what a manifest that lies in dir calls url.
func (n *Names) Add(dir, url, by string) {
	if name, ok := remote(url); ok {
		if n.elsewhere == nil {
			n.elsewhere = map[string]string{}
		}
		if _, ok := n.elsewhere[name]; !ok && name != "" {
			n.elsewhere[name] = by
		}
		return
	}
	for _, p := range Paths(dir, url) {
		n.AddPath(p, by)
	}
}

// AddPath adds a file by its full path.
func (n *Names) AddPath(full, by string) {
	if n.paths == nil {
		n.paths = map[string]string{}
	}
	if _, ok := n.paths[full]; !ok {
		n.paths[full], n.stale = by, true
	}
}

// remote returns the last element of the path of a URL; ok is false for a path.
func remote(name string) (last string, ok bool) {
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok || scheme == "" || strings.ContainsAny(scheme, `/\`) || strings.EqualFold(scheme, "file") {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	last = path.Base(rest)
	if plain, err := url.PathUnescape(last); err == nil {
		last = plain
	}
	return last, true
}

// Paths returns the full paths that a name in a manifest of a directory can stand for:
// the path itself, and the one that a program which takes names for URLs reads in it.
func Paths(dir, name string) []string {
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		name = rest[max(strings.IndexByte(rest, '/'), 0):] // without the host
	}
	full := func(name string) string {
		p := filepath.FromSlash(name)
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		return filepath.Clean(p)
	}
	out := []string{full(name)}
	if strings.Contains(name, "%") {
		if plain, err := url.PathUnescape(name); err == nil && plain != name {
			out = append(out, full(plain))
		}
	}
	return out
}

// Has returns the manifest that names the file by this path, or by its last element if
// the manifest names a copy on a server.
func (n *Names) Has(full string) (by string, ok bool) {
	if by, ok = n.paths[full]; !ok {
		by, ok = n.elsewhere[filepath.Base(full)]
	}
	return by, ok
}

// HasFile returns the manifest that names the file by any path. A named path that leads
// to a file nobody may look at is an error.
func (n *Names) HasFile(fsys vfs.FS, info fs.FileInfo) (by string, ok bool, err error) {
	if n.stale {
		n.ids = map[int64][]identity{}
		for p, by := range n.paths {
			st, err := fsys.Stat(p)
			if Nothing(err) {
				continue
			}
			if err != nil {
				return "", false, err
			}
			n.ids[st.Size()] = append(n.ids[st.Size()], identity{st, by})
		}
		n.stale = false
	}
	for _, id := range n.ids[info.Size()] {
		if vfs.SameFile(id.info, info) {
			return id.by, true, nil
		}
	}
	return "", false, nil
}
