package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/model"
)

// sharedFolder is a folder of the operating system with a graph that has dropped a
// segment by a compaction.
type sharedFolder struct {
	dir     string
	db      *engine.DB
	dropped string // name of the segment
	ref     manifest.SegmentRef
	now     time.Time
	n       int
}

func newSharedFolder(t *testing.T) *sharedFolder {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sharedFolder{dir: filepath.Join(dir, "graphs"), now: time.Now()}
	if err := os.MkdirAll(filepath.Join(s.dir, "below"), 0o777); err != nil {
		t.Fatal(err)
	}
	if s.db, err = engine.Init(t.Context(), s.at(manifestName), nil, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, s.db) })
	s.commit(t)
	s.ref = *s.db.Manifest().Log[0].Adds
	s.dropped = s.ref.URL
	return s
}

func (s *sharedFolder) at(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// commit makes another generation.
func (s *sharedFolder) commit(t *testing.T) {
	t.Helper()
	write(t, s.db, model.Entry{Adds: []model.Quad{nthQuad(s.n)}})
	s.n++
	seal(t, s.db)
}

// collect drops the segment and collects twice, two days apart.
func (s *sharedFolder) collect(t *testing.T) (*engine.Collection, error) {
	t.Helper()
	s.commit(t)
	if _, err := s.db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var last *engine.Collection
	for range 2 {
		c, err := s.db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return s.now }})
		if err != nil {
			return c, err
		}
		last = c
		s.commit(t)
		s.now = s.now.Add(48 * time.Hour)
	}
	return last, nil
}

func (s *sharedFolder) gone(t *testing.T) bool {
	t.Helper()
	_, err := os.Stat(s.at(s.dropped))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return err != nil
}

// putManifest writes a manifest that names segments.
func (s *sharedFolder) put(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(s.at(name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// naming returns the text of a manifest that names the dropped segment as url.
func (s *sharedFolder) naming(url string) []byte {
	ref := s.ref
	ref.URL = url
	return (&manifest.Manifest{Name: "b", Generation: 7, Log: []manifest.Entry{{Adds: &ref}}}).Encode()
}

func (s *sharedFolder) link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(filepath.FromSlash(to), s.at(name)); err != nil {
		t.Skip(err)
	}
}

// A segment stays as long as any manifest in the folder can be read that needs it, by
// whatever name the manifest has and by whatever way it names the segment. The report
// says for which.
func TestCollectKeepsForOthers(t *testing.T) {
	type folder = *sharedFolder
	for name, c := range map[string]struct {
		arrange func(*testing.T, folder)
		by      string // "": it goes
	}{
		"nobody": {func(t *testing.T, s folder) {}, ""},
		"a graph made from it": {func(t *testing.T, s folder) {
			db, err := engine.Init(t.Context(), s.at("schema.json"), &engine.InitOptions{Bases: []engine.Source{{Name: s.at(s.dropped)}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			closeDB(t, db)
		}, "schema.json"},
		"no ending":    {func(t *testing.T, s folder) { s.put(t, "db", s.naming(s.dropped)) }, "db"},
		"hidden":       {func(t *testing.T, s folder) { s.put(t, ".b", s.naming(s.dropped)) }, ".b"},
		"like archive": {func(t *testing.T, s folder) { s.put(t, manifestName+".g01", s.naming(s.dropped)) }, manifestName + ".g01"},
		"its archive's name": {func(t *testing.T, s folder) {
			m, err := manifest.Parse(s.naming(s.dropped))
			if err != nil {
				t.Fatal(err)
			}
			m.Lineage, m.Generation = strings.Repeat("0f", 16), 77
			s.put(t, manifestName+".g77", m.Encode())
		}, manifestName + ".g77"},
		"begins like it": {func(t *testing.T, s folder) { s.put(t, manifestName+"2", s.naming(s.dropped)) }, manifestName + "2"},
		"blanks before": {func(t *testing.T, s folder) {
			s.put(t, "b", manifesttest.Sign(append([]byte(" \n"), s.naming(s.dropped)...)))
		}, "b"},
		"other order": {func(t *testing.T, s folder) {
			s.put(t, "b", fmt.Appendf(nil, `{"log": [{"dels": null, "adds": {"blake3_16": "%x", "size": %d, "url": "%s"}}], "generation": 0, "name": "b", "rete_manifest": 1}`, s.ref.Hash, s.ref.Size, s.dropped))
		}, "b"},
		"as dels": {func(t *testing.T, s folder) {
			ref := s.ref
			s.put(t, "b", (&manifest.Manifest{Name: "b", Generation: 1, Log: []manifest.Entry{{Dels: &ref}}}).Encode())
		}, "b"},
		"dot":           {func(t *testing.T, s folder) { s.put(t, "b", s.naming("./"+s.dropped)) }, "b"},
		"dots":          {func(t *testing.T, s folder) { s.put(t, "b", s.naming("below/..//../graphs/"+s.dropped)) }, "b"},
		"absolute":      {func(t *testing.T, s folder) { s.put(t, "b", s.naming(filepath.ToSlash(s.at(s.dropped)))) }, "b"},
		"escaped":       {func(t *testing.T, s folder) { s.put(t, "b", s.naming("%67"+s.dropped[1:])) }, "b"},
		"a file URL":    {func(t *testing.T, s folder) { s.put(t, "b", s.naming("file://"+filepath.ToSlash(s.at(s.dropped)))) }, "b"},
		"on a server":   {func(t *testing.T, s folder) { s.put(t, "b", s.naming("https://host/graphs/"+s.dropped+"?v=1")) }, "b"},
		"another file":  {func(t *testing.T, s folder) { s.put(t, "b", s.naming("below/"+s.dropped)) }, ""},
		"another place": {func(t *testing.T, s folder) { s.put(t, "below/b", s.naming(s.dropped)) }, ""},
		"a linked folder": {func(t *testing.T, s folder) {
			s.link(t, "..", "below/here")
			s.put(t, "b", s.naming("below/here/"+s.dropped))
		}, "b"},
		"a link": {func(t *testing.T, s folder) {
			s.link(t, s.dropped, "alias.rete")
			s.put(t, "b", s.naming("alias.rete"))
		}, "b"},
		"links in a row": {func(t *testing.T, s folder) {
			s.link(t, "../"+s.dropped, "below/one")
			s.link(t, "below/one", "two.rete")
			s.put(t, "b", s.naming("two.rete"))
		}, "b"},
		"a hard link": {func(t *testing.T, s folder) {
			if err := os.Link(s.at(s.dropped), s.at("hard.rete")); err != nil {
				t.Skip(err)
			}
			s.put(t, "b", s.naming("hard.rete"))
		}, "b"},
		"a linked manifest": {func(t *testing.T, s folder) {
			s.put(t, "below/b", s.naming("../"+s.dropped))
			s.link(t, "below/b", "schema")
		}, "schema"},
		"itself by a link":          {func(t *testing.T, s folder) { s.link(t, manifestName, "current") }, ""},
		"its own archive by a link": {func(t *testing.T, s folder) { s.link(t, manifestName+".g2", "second") }, ""},
		"a copy of itself": {func(t *testing.T, s folder) {
			text, err := os.ReadFile(s.at(manifestName))
			if err != nil {
				t.Fatal(err)
			}
			s.put(t, "backup", text)
		}, "backup"},
		"a hard link of itself": {func(t *testing.T, s folder) {
			if err := os.Link(s.at(manifestName), s.at("backup")); err != nil {
				t.Skip(err)
			}
		}, "backup"},
		"an archive of another one": {func(t *testing.T, s folder) {
			db, err := engine.Init(t.Context(), s.at("b"), &engine.InitOptions{Bases: []engine.Source{{Name: s.at(s.dropped)}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			write(t, db, model.Entry{Adds: []model.Quad{nthQuad(9)}})
			seal(t, db)
			if _, err := db.Compact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			closeDB(t, db)
			if err := os.Remove(s.at("b.g2")); err != nil {
				t.Fatal(err)
			}
		}, "b.g1"},
		"an archive that is left": {func(t *testing.T, s folder) { s.put(t, "gone.g7", s.naming(s.dropped)) }, "gone.g7"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSharedFolder(t)
			c.arrange(t, s)
			got, err := s.collect(t)
			if err != nil {
				t.Fatal(err)
			}
			if gone := s.gone(t); gone != (c.by == "") {
				t.Fatalf("gone: %v; %+v", gone, got)
			}
			for _, k := range got.Kept {
				if k.Name != s.dropped || k.For != c.by || k.Reason != "named" || k.Size != s.ref.Size || got.KeptBytes != k.Size {
					t.Errorf("kept: %+v, want for %s", k, c.by)
				}
			}
			if (len(got.Kept) > 0) != (c.by != "") {
				t.Errorf("kept: %+v", got.Kept)
			}
			if old, err := filepath.Glob(s.at(manifestName + ".g[12]")); err != nil || len(old) > 0 {
				t.Errorf("expired archives: %v, %v", old, err)
			}
			if db, err := engine.Open(t.Context(), s.at("schema.json"), nil); err == nil {
				checkVisible(t, snapshot(t, db), model.Set{nthQuad(0): true})
				closeDB(t, db)
			}
		})
	}
}

// A manifest that cannot be read, by damage or since its version is unknown, stops the
// collection, which names it. Mended it goes on.
func TestCollectStops(t *testing.T) {
	whole := func(s *sharedFolder) string { return string(s.naming("x.rete")) }
	for name, c := range map[string]struct{ file, old, new string }{
		"cut off":            {"b", "}\n", ""},
		"another version":    {"b", `"rete_manifest": 1`, `"rete_manifest": 2`},
		"a flipped bit":      {"b", `"generation"`, "\"generation\x02"},
		"a wrong beginning":  {"b", "{\n  \"rete", "[\n  \"rete"},
		"a wrong key":        {"b", `"rete_manifest"`, `"rete_manifesu"`},
		"no text":            {"b" + manifest.Suffix, "{", "\x00"},
		"an archive":         {"b" + manifest.Suffix + ".g6", "{", "x{"},
		"a link to it":       {"below/b", "}\n", ""},
		"its own archive":    {manifestName + ".g1", "", ""},
		"its newest archive": {manifestName + ".g3", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSharedFolder(t)
			s.commit(t)
			s.commit(t)
			text := whole(s)
			shown := c.file
			if c.old == "" {
				old, err := os.ReadFile(s.at(c.file))
				if err != nil {
					t.Fatal(err)
				}
				text, c.old = string(old), "rete_manifest"
			}
			if c.file == "below/b" {
				s.link(t, "below/b", "linked")
				shown = "linked"
			}
			bad := strings.Replace(text, c.old, c.new, 1)
			if bad == text {
				t.Fatal("nothing was damaged")
			}
			s.put(t, c.file, []byte(bad))
			before := s.files(t)
			for _, yes := range []bool{false, true} {
				_, err := s.db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: yes, Grace: 1, Now: func() time.Time { return s.now }})
				if err == nil || !strings.Contains(err.Error(), shown) {
					t.Fatalf("got %v, want an error that names %s", err, shown)
				}
			}
			if after := s.files(t); !slices.Equal(before, after) {
				t.Errorf("files before: %v, after: %v", before, after)
			}
			s.put(t, c.file, []byte(text))
			if _, err := s.collect(t); err != nil || !s.gone(t) {
				t.Errorf("mended: %v", err)
			}
		})
	}
}

func (s *sharedFolder) files(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
