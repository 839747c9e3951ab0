package blob

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
)

// MuxOptions are the stores behind a [Mux]. The zero value is the operating
// system's files and a web client of our own.
type MuxOptions struct {
	FS   FS           // of local names; nil is the operating system's
	HTTP *http.Client // of http(s) names, if Schemes does not say otherwise
	// Schemes adds stores for names of the form scheme://…, or replaces those of
	// [Register] and the one for http and https.
	Schemes map[string]Store
}

// Mux is a [Store] that finds the right store by the name, the way a manifest
// names its segments:
//
//   - scheme://… goes to the store of that scheme as it is;
//   - any other name is a slash-separated file name relative to the mux's
//     place, or an absolute path. On a web server, where the place is a URL,
//     such a name is escaped and resolved against it, and an absolute path
//     starts at the root of that server: a manifest from a server never names
//     local files.
type Mux struct {
	remote  *url.URL // of the place; nil: it is base's
	base    *local
	local   Store // takes the full names that base has made
	schemes map[string]Store
}

// NewMux returns a mux whose relative names are relative to dir, a local
// directory or an http(s) URL (see [Split]). A directory is that of now: changing
// the working directory moves nothing.
func NewMux(dir string, opt MuxOptions) (*Mux, error) {
	if opt.FS == nil {
		opt.FS = vfs.OS()
	}
	m := &Mux{local: NewLocal(opt.FS, ""), schemes: map[string]Store{}}
	web := newHTTP(opt.HTTP)
	m.schemes["http"], m.schemes["https"] = web, web
	for s, store := range registered.all() {
		m.schemes[s] = store
	}
	for s, store := range opt.Schemes {
		m.schemes[strings.ToLower(s)] = store
	}
	if scheme := schemeOf(dir); scheme != "" {
		u, err := url.Parse(dir)
		if err != nil {
			return nil, fmt.Errorf("not a URL: %w", err)
		}
		if _, err := m.store(dir, scheme); err != nil {
			return nil, err
		}
		u.RawQuery, u.Fragment = "", ""
		m.remote = u
	} else {
		m.base = newLocal(opt.FS, dir)
	}
	return m, nil
}

// Split cuts the name of an object into its place, for [NewMux], and its name
// in that place: a path at its last separator, a URL at the last slash of its
// path.
func Split(name string) (dir, file string) {
	if schemeOf(name) == "" {
		dir, file = filepath.Split(name)
		return filepath.Clean(dir), file
	}
	u, err := url.Parse(name)
	if err != nil {
		return name, ""
	}
	p := u.Path
	at := strings.LastIndexByte(p, '/') + 1
	u.Path, u.RawPath, u.RawQuery, u.Fragment = p[:at], "", "", ""
	return u.String(), p[at:]
}

// schemeOf returns the scheme of scheme://…, in lower case, else "".
func schemeOf(name string) string {
	s, _, ok := strings.Cut(name, "://")
	if !ok || s == "" {
		return ""
	}
	for i, c := range s {
		if !('a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && (c == '+' || c == '-' || c == '.' || '0' <= c && c <= '9')) {
			return ""
		}
	}
	return strings.ToLower(s)
}

// IsRemote reports whether a name is scheme://… rather than a path.
func IsRemote(name string) bool { return schemeOf(name) != "" }

func (m *Mux) store(name, scheme string) (Store, error) {
	if s := m.schemes[scheme]; s != nil {
		return s, nil
	}
	if u, err := url.Parse(name); err == nil {
		name = u.Redacted()
	}
	switch scheme {
	case "s3":
		return nil, fmt.Errorf("%s: this program has no s3:// store (package blob/s3 has one); use an http(s):// address of the bucket or a local copy", name)
	case "gs", "az", "azure", "abfs", "abfss":
		return nil, fmt.Errorf("%s: %s:// is not supported; use an http(s):// address of the object", name, scheme)
	}
	return nil, fmt.Errorf("%s: no store for %s://; use a path, an http(s):// or an s3:// address", name, scheme)
}

// Resolve returns the full name that an object name stands for: a path or a URL. The user and
// password of the mux's place are not in it: the mux adds them to every URL of that server
// that has none, so that names can be shown.
func (m *Mux) Resolve(name string) (string, error) {
	_, full, err := m.find(name)
	if u := m.own(full); err == nil && u != nil && u.User.String() == m.remote.User.String() {
		u.User = nil
		full = u.String()
	}
	return full, err
}

// own returns the parts of a URL on the server of the place, if that has a user.
func (m *Mux) own(full string) *url.URL {
	if m.remote == nil || m.remote.User == nil {
		return nil
	}
	u, err := url.Parse(full)
	if err != nil || u.Scheme != m.remote.Scheme || u.Host != m.remote.Host {
		return nil
	}
	return u
}

// find returns the store of a name and the name as that store takes it.
func (m *Mux) find(name string) (Store, string, error) {
	if name == "" {
		return nil, "", fmt.Errorf("empty object name")
	}
	if scheme := schemeOf(name); scheme != "" {
		if u := m.own(name); u != nil && u.User == nil {
			u.User = m.remote.User
			name = u.String()
		}
		s, err := m.store(name, scheme)
		return s, name, err
	}
	if m.remote == nil {
		p, err := m.base.path(name)
		return m.local, p, err
	}
	u := *m.remote
	if strings.HasPrefix(name, "/") {
		u.Path = path.Clean(name)
	} else {
		u.Path = path.Join("/", u.Path, name)
	}
	u.RawPath = ""
	s, err := m.store(u.String(), u.Scheme)
	return s, u.String(), err
}

// Open opens the object that the name stands for.
func (m *Mux) Open(ctx context.Context, name string) (Object, error) {
	s, full, err := m.find(name)
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, full)
}

// ReadAll reads the object that the name stands for.
func (m *Mux) ReadAll(ctx context.Context, name string, max int64) ([]byte, string, error) {
	s, full, err := m.find(name)
	if err != nil {
		return nil, "", err
	}
	return s.ReadAll(ctx, full, max)
}

// Put writes the object that the name stands for.
func (m *Mux) Put(ctx context.Context, name string, data []byte, cond Cond) (string, error) {
	s, full, err := m.find(name)
	if err != nil {
		return "", err
	}
	return s.Put(ctx, full, data, cond)
}

// Create begins the object that the name stands for.
func (m *Mux) Create(ctx context.Context, name string) (Writer, error) {
	s, full, err := m.find(name)
	if err != nil {
		return nil, err
	}
	return s.Create(ctx, full)
}

// Remove deletes the object that the name stands for.
func (m *Mux) Remove(ctx context.Context, name string) error {
	s, full, err := m.find(name)
	if err != nil {
		return err
	}
	return s.Remove(ctx, full)
}

// List lists by the full prefix; the names that it returns are full. An empty
// prefix is the mux's own place.
func (m *Mux) List(ctx context.Context, prefix string) ([]Info, error) {
	s, full, err := m.findPrefix(prefix)
	if err != nil {
		return nil, err
	}
	return s.List(ctx, full)
}

// findPrefix is find for the beginning of names.
func (m *Mux) findPrefix(prefix string) (Store, string, error) {
	if prefix == "" {
		prefix = "./"
	}
	s, full, err := m.find(prefix)
	if strings.HasSuffix(prefix, "/") && !strings.HasSuffix(full, "/") { // which joining paths took away
		full += "/"
	}
	return s, full, err
}
