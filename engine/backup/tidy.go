package backup

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
)

// tidy removes what restores to the same names have left half written when they were killed. What
// lies on a server appears whole.
func (t *target) tidy(b *Backup) error {
	if t.file != nil {
		return nil
	}
	mine := map[string]bool{t.name: true, t.nextTo(restoringSuffix): true, t.journal: true}
	dirs := map[string]bool{filepath.Dir(t.name): true, filepath.Dir(t.journal): true}
	for i := range b.Segments {
		name, err := t.segment(&b.Segments[i])
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
			if archive, ok := strings.CutPrefix(full, t.name+".g"); mine[full] || ok && isNumber(archive) {
				vfs.RemoveDead(t.fs, filepath.Join(dir, e.Name()))
			}
		}
	}
	return nil
}
