package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// Scanner finds the manifests of a directory. A manifest is a regular file of at
// most [manifest.MaxBytes] bytes that begins with { and parses as one; a symbolic link
// stands for the file that it leads to. One file at a time is in memory.
type Scanner struct {
	FS  vfs.FS
	Dir string
	// Found gets each manifest, once for each state of its file.
	Found func(File, *manifest.Manifest) error
	// Skip leaves files out that the caller reads itself; nil: none.
	Skip func(name string) bool

	files map[string]file // by name, what earlier scans saw
}

// File is where a manifest lies.
type File struct {
	Name string // in the directory
	Full string // its path, or where the link of this name leads
}

type file struct {
	info     fs.FileInfo
	manifest bool
	problem  error
}

// problem is a file of which it is not known whether, or how, it is a manifest.
type problem struct {
	Name string // in the directory
	Err  error
}

// Scan reads what is new in the directory, or has changed, since the last scan.
// Problems are the files that name themselves a manifest, or have the name of one,
// and do not parse, and those that cannot be read, as far as these are there still.
func (s *Scanner) Scan(ctx context.Context, entries []fs.DirEntry) ([]problem, error) {
	before := s.files
	s.files = make(map[string]file, len(entries))
	for _, e := range entries {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		name := e.Name()
		if e.IsDir() || vfs.IsTemp(name) || strings.HasSuffix(name, manifest.SegmentSuffix) || s.Skip != nil && s.Skip(name) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			info, err = s.FS.Stat(filepath.Join(s.Dir, name))
		} else if old, ok := before[name]; ok && err == nil && old.problem == nil && unchanged(old.info, info) {
			s.files[name] = old
			continue
		}
		switch {
		case Nothing(err):
			continue
		case err == nil && !info.Mode().IsRegular():
			continue
		case err == nil:
			err = s.read(name, info, strings.HasSuffix(Archived(name), manifest.Suffix))
		default:
			s.files[name] = file{problem: err}
		}
		if err != nil && s.files[name].problem == nil {
			return nil, err
		}
	}
	if err := s.relatives(); err != nil {
		return nil, err
	}
	return s.problems(), nil
}

// relatives reads again what must be a manifest, since its archives or the manifest
// that it is an archive of are.
func (s *Scanner) relatives() error {
	for name, f := range s.files {
		if base := Archived(name); f.manifest && base != name {
			if of, ok := s.files[base]; ok && !of.manifest && of.problem == nil {
				if err := s.read(base, of.info, true); err != nil {
					return err
				}
			}
		}
	}
	for name, f := range s.files {
		if base := Archived(name); !f.manifest && f.problem == nil && base != name && s.files[base].manifest {
			if err := s.read(name, f.info, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// problems lists them by name. A file that cannot be read is none if it belongs to a
// manifest by its name, such as a lock.
func (s *Scanner) problems() (out []problem) {
	for name, f := range s.files {
		if f.problem != nil && !(errors.Is(f.problem, fs.ErrPermission) && s.belongs(name)) {
			out = append(out, problem{name, f.problem})
		}
	}
	slices.SortFunc(out, func(a, b problem) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Owner returns the manifest whose name a name is, or begins with before a dot: the
// longest one, "" if there is none.
func (s *Scanner) Owner(name string) string {
	for base := name; base != ""; base = base[:max(strings.LastIndexByte(base, '.'), 0)] {
		if s.files[base].manifest {
			return base
		}
	}
	return ""
}

// belongs reports whether a name is a manifest's and a dot with more, and not that of
// an archive.
func (s *Scanner) belongs(name string) bool {
	if Archived(name) != name {
		return false
	}
	for at := strings.LastIndexByte(name, '.'); at > 0; at = strings.LastIndexByte(name[:at], '.') {
		if base := name[:at]; s.files[base].manifest || strings.HasSuffix(base, manifest.Suffix) {
			return true
		}
	}
	return false
}

// read looks into a file. With must whatever does not parse is a problem. The error is
// that of Found.
func (s *Scanner) read(name string, info fs.FileInfo, must bool) error {
	full := filepath.Join(s.Dir, name)
	s.files[name] = file{info: info}
	raw, err := candidate(s.FS, full, manifest.MaxBytes, must)
	switch {
	case Nothing(err):
		delete(s.files, name)
		return nil
	case err != nil:
		s.files[name] = file{info: info, problem: err}
		return nil
	case raw == nil:
		return nil
	}
	m, err := manifest.Parse(raw)
	if err != nil {
		if must || namesItself(raw) {
			s.files[name] = file{info: info, problem: fmt.Errorf("%s: it says that it is a manifest, but cannot be read as one: %w", full, err)}
		}
		return nil
	}
	s.files[name] = file{info: info, manifest: true}
	if links, ok := s.FS.(interface{ Target(string) string }); ok {
		full = links.Target(full)
	}
	return s.Found(File{Name: name, Full: full}, m)
}

// Archived returns the name of the manifest of which a name is an archive, NAME.gN, or
// the name itself.
func Archived(name string) string {
	at := strings.LastIndex(name, ".g")
	if at <= 0 || at+2 == len(name) || strings.Trim(name[at+2:], "0123456789") != "" {
		return name
	}
	return name[:at]
}

// unchanged reports whether a name still has the file that was seen under it.
func unchanged(a, b fs.FileInfo) bool {
	return a.Mode() == b.Mode() && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && vfs.SameFile(a, b)
}
