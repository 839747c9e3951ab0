package manifest_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/vfs"
)

// TestUnreadableManifestIsNotWritten: what no reader would take is refused, by commits
// and by init.
func TestUnreadableManifestIsNotWritten(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(m *manifest.Manifest, o *manifest.CommitOptions)
	}{
		{"too long", "more than the", func(_ *manifest.Manifest, o *manifest.CommitOptions) { o.Note = strings.Repeat("n", manifest.MaxBytes) }},
		{"nested too deep", "read again", func(m *manifest.Manifest, _ *manifest.CommitOptions) {
			m.Card = []byte(`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}")
		}},
		{"a name that is not UTF-8", "not UTF-8", func(m *manifest.Manifest, _ *manifest.CommitOptions) {
			r := ref(1)
			r.URL = "a\xff.rete"
			m.Log = append(m.Log, manifest.Entry{Adds: r})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := vfs.NewMem()
			m, opt := &manifest.Manifest{Name: "g"}, new(manifest.CommitOptions)
			c.change(m, opt)
			if _, err := openFile(t, fsys).Init(t.Context(), opt, m); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("init: error %.200v", err)
			}
			if _, err := fsys.Stat(manifestName); err == nil {
				t.Error("init has written it")
			}
			f := initManifest(t, fsys)
			opt = new(manifest.CommitOptions)
			c.change(new(manifest.Manifest), opt)
			if _, err := f.Commit(t.Context(), opt, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
				c.change(cur, new(manifest.CommitOptions))
				return cur, nil
			}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "not committed") {
				t.Errorf("commit: error %.200v", err)
			}
			if m := manifesttest.CheckHistory(t, f); m.Generation != 1 {
				t.Errorf("generation %d", m.Generation)
			}
		})
	}
}
