package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/rete-go/rete/internal/vfs"
)

// gcFile is the list of marks, <manifest>.gc.
type gcFile struct {
	Version int      `json:"rete_gc"` // 1
	Lineage string   `json:"lineage"`
	Marks   []gcMark `json:"marks"`
}

// gcMark is one marked file.
type gcMark struct {
	Name       string    `json:"name"`
	At         time.Time `json:"at"`
	Generation int64     `json:"generation"`
}

const gcSuffix = ".gc"

// readMarks reads what earlier collections marked.
func (c *collector) readMarks() error {
	c.marks = map[string]gcMark{}
	name := c.db.name + gcSuffix
	text, err := vfs.ReadFile(c.db.opt.FS, name, MaxManifest)
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
	if f.Lineage != c.history[0].Lineage {
		return nil // marks of another manifest
	}
	for _, m := range f.Marks {
		c.marks[m.Name] = m
	}
	return nil
}

// writeMarks keeps the marks of files that are still garbage, and marks the new ones.
func (c *collector) writeMarks(cur *Manifest) error {
	out := gcFile{Version: 1, Lineage: cur.Lineage, Marks: []gcMark{}}
	for i := range c.files {
		f := &c.files[i]
		if _, ok := c.needed[f.full]; ok || f.State == "deleted" {
			continue
		}
		mark, ok := c.marks[f.Name]
		if !ok {
			mark = gcMark{Name: f.Name, At: c.now.Truncate(time.Second), Generation: cur.Generation}
			f.State, f.Since = "marked", &mark.At
		}
		out.Marks = append(out.Marks, mark)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = vfs.WriteFile(c.db.opt.FS, c.db.name+gcSuffix, append(text, '\n'), c.db.opt.FS.Rename)
	return err
}
