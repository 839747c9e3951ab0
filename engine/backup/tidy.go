package backup

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
)

// tidy removes what restores to the same names have left half written when they were killed. What
// lies on a server appears whole; the journal of a graph there is of this machine.
func (t *target) tidy(b *Backup) error {
	mine, dirs := map[string]bool{}, map[string]bool{}
	if t.journal != "" {
		mine[t.journal], dirs[filepath.Dir(t.journal)] = true, true
	}
	segments := b.Segments
	if t.file != nil {
		segments = nil
	} else {
		mine[t.name], mine[t.nextTo(restoringSuffix)], dirs[filepath.Dir(t.name)] = true, true, true
	}
	for i := range segments {
		name, err := t.segment(&segments[i])
		if err != nil {
			return err
		}
		mine[name], dirs[filepath.Dir(name)] = true, true
	}
	for dir := range dirs {
		entries, err := t.fs.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			to := vfs.TempTarget(e.Name())
			if to == "" {
				continue
			}
			full := filepath.Join(dir, to)
			archive, ok := strings.CutPrefix(full, t.name+".g")
			if mine[full] || t.file == nil && ok && isNumber(archive) {
				vfs.RemoveDead(t.fs, filepath.Join(dir, e.Name()))
			}
		}
	}
	return nil
}
