package collect

import (
	"path/filepath"
	"time"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// collector is one collection. Paths are full.
type collector struct {
	file *manifest.File
	fs   vfs.FS
	opt  *Options
	now  time.Time
	dir  string   // of the manifest
	own  ownNames // of its files

	cur      *manifest.Manifest
	oldest   int64               // generation that stays
	archives map[int64]time.Time // that are this manifest's, and when a later generation came
	needed   folder.Names        // what this manifest's generations that stay name
	live     map[string]int64    // the same, with sizes
	gone     map[string]dropped  // what only those that go name
	written  map[string]bool     // what its history shows to be written by its commits
	marks    map[string]gcMark
	scans    map[string]*folder.Scanner // by directory
	others   folder.Names               // what other manifests name
	rivals   map[string]string          // graph names of others in this directory, in lower case → manifest

	files []Garbage
	kept  []Kept
	seen  map[string]bool
}

// dropped is a file that a generation dropped.
type dropped struct {
	at   time.Time
	size int64
}

func newCollector(file *manifest.File, fsys vfs.FS, o *Options) *collector {
	return &collector{file: file, fs: fsys, opt: o, now: o.Now().UTC(), dir: filepath.Dir(file.Name()),
		own:      ownNames{base: filepath.Base(file.Name()), names: map[string]bool{}},
		archives: map[int64]time.Time{}, live: map[string]int64{}, gone: map[string]dropped{}, written: map[string]bool{},
		marks: map[string]gcMark{}, scans: map[string]*folder.Scanner{}, rivals: map[string]string{}, seen: map[string]bool{}}
}
