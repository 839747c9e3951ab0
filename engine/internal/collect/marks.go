package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// gcFile is the list of marks, <manifest>.gc.
type gcFile struct {
	Version int      `json:"rete_gc"` // 1
	Lineage string   `json:"lineage"`
	Marks   []gcMark `json:"marks"`
	// Written are files that commits of this manifest wrote and that it needs still, in
	// other directories, or that stay for other manifests: once the archives are gone
	// nothing else shows it.
	Written []string `json:"written,omitempty"`
}

// gcMark is one marked file.
type gcMark struct {
	Name       string    `json:"name"`
	At         time.Time `json:"at"`
	Generation int64     `json:"generation"`
	// Written: a commit of this manifest wrote it, which the history may show no more.
	Written bool `json:"written,omitempty"`
}

const gcSuffix = ".gc"

// readMarks reads what earlier collections marked.
func (c *collector) readMarks() error {
	name := c.file.Name() + gcSuffix
	text, err := vfs.ReadFile(c.fs, name, manifest.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var f gcFile
	if err := json.Unmarshal(text, &f); err != nil || f.Version != 1 {
		return fmt.Errorf("%s: it is no list of marks (%v); remove it, and collection begins anew", name, err)
	}
	if f.Lineage != c.cur.Lineage {
		return nil // marks of another manifest
	}
	for _, m := range f.Marks {
		c.marks[m.Name] = m
		if m.Written {
			c.written[c.full(m.Name)] = true
		}
	}
	for _, name := range f.Written {
		c.written[c.full(name)] = true
	}
	return nil
}

// markOf returns the mark of a file. A hash tree goes with its segment, so that one's counts.
func markOf(marks map[string]gcMark, name, of string) (gcMark, bool) {
	if m, ok := marks[of]; ok {
		return m, true
	}
	m, ok := marks[name]
	return m, ok
}

// nextMarks returns the marks of files that are still garbage, and marks the new ones.
func nextMarks(files []Garbage, marks map[string]gcMark, cur *manifest.Manifest, now time.Time) gcFile {
	out := gcFile{Version: 1, Lineage: cur.Lineage, Marks: []gcMark{}}
	for i := range files {
		f := &files[i]
		if f.State == "deleted" || f.Kind == "upload" {
			continue
		}
		mark, ok := marks[f.Name]
		if !ok {
			mark = gcMark{Name: f.Name, At: now.Truncate(time.Second), Generation: cur.Generation}
			f.State, f.Since = "marked", &mark.At
		}
		mark.Written = f.written
		out.Marks = append(out.Marks, mark)
	}
	return out
}

// writeMarks keeps the marks of files that are still garbage, and marks the new ones.
func (c *collector) writeMarks() error {
	out := nextMarks(c.files, c.marks, c.cur, c.now)
	for full := range c.written {
		_, needed := c.needed.Has(full)
		if needed && filepath.Dir(full) != c.dir && c.own.minted(filepath.Base(full)) {
			out.Written = append(out.Written, c.relative(full))
		}
	}
	for _, k := range c.kept {
		if c.written[c.full(k.Name)] {
			out.Written = append(out.Written, k.Name)
		}
	}
	slices.Sort(out.Written)
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = vfs.WriteFile(c.fs, c.file.Name()+gcSuffix, append(text, '\n'), c.fs.Rename)
	return err
}
