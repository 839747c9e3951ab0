package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
)

// A file may be replaced if no graph loses anything by that.
func TestUnused(t *testing.T) {
	type folder = *sharedFolder
	segment := func(t *testing.T, s folder, name string) {
		text, err := os.ReadFile(s.at(s.dropped))
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, name, text)
	}
	for name, c := range map[string]struct {
		arrange func(*testing.T, folder)
		file    string // "": the segment
		by      string // what the error says, "" for none
	}{
		"named":               {nil, "", "is named by " + manifestName},
		"nothing there":       {nil, "new.rete", ""},
		"nobody's":            {func(t *testing.T, s folder) { segment(t, s, "x.rete") }, "x.rete", ""},
		"any name":            {func(t *testing.T, s folder) { segment(t, s, "x.rete"); s.put(t, "db", s.naming("x.rete")) }, "x.rete", "named by db"},
		"an archive names it": {func(t *testing.T, s folder) { segment(t, s, "x.rete"); s.put(t, "gone.g7", s.naming("./x.rete")) }, "x.rete", "named by gone.g7"},
		"absolute": {func(t *testing.T, s folder) {
			segment(t, s, "x.rete")
			s.put(t, "db", s.naming(filepath.ToSlash(s.at("x.rete"))))
		}, "x.rete", "named by db"},
		"another file": {func(t *testing.T, s folder) { segment(t, s, "x.rete"); s.put(t, "db", s.naming("below/x.rete")) }, "x.rete", ""},
		"a manifest":   {nil, manifestName, "is a manifest"},
		"an archive":   {nil, manifestName + ".g1", "is a manifest"},
		"a journal":    {nil, manifestName + ".changes", "belongs to " + manifestName},
		"a lock":       {nil, manifestName + ".changes.lock", "belongs to " + manifestName},
		"a torn tail":  {func(t *testing.T, s folder) { s.put(t, manifestName+".changes.torn-1", nil) }, manifestName + ".changes.torn-1", "belongs to " + manifestName},
		"marks":        {func(t *testing.T, s folder) { s.put(t, "db", s.naming("x")); s.put(t, "db.gc", nil) }, "db.gc", "belongs to db"},
		"its own dump": {func(t *testing.T, s folder) { s.put(t, manifestName+".nq", nil) }, manifestName + ".nq", ""},
		"a folder":     {nil, "below", ""},
		"a link":       {func(t *testing.T, s folder) { s.link(t, s.dropped, "x.rete") }, "x.rete", "named by " + manifestName},
		"links in a row": {func(t *testing.T, s folder) {
			s.link(t, "below/b.rete", "x.rete")
			s.link(t, "../"+s.dropped, "below/b.rete")
		}, "x.rete", "named by " + manifestName},
		"a link of another folder": {func(t *testing.T, s folder) { s.link(t, "../"+s.dropped, "below/x.rete") }, "below/x.rete", "named by " + manifestName},
		"a link that is named": {func(t *testing.T, s folder) {
			segment(t, s, "below/x.rete")
			s.link(t, "below/x.rete", "x.rete")
			s.put(t, "db", s.naming("x.rete"))
		}, "x.rete", "named by db"},
		"a linked manifest": {func(t *testing.T, s folder) {
			segment(t, s, "x.rete")
			s.put(t, "below/db", s.naming("../x.rete"))
			s.link(t, "below/db", "db")
		}, "x.rete", "named by db"},
		"a hard link": {func(t *testing.T, s folder) {
			if err := os.Link(s.at(s.dropped), s.at("x.rete")); err != nil {
				t.Skip(err)
			}
		}, "x.rete", ""},
		"a damaged manifest":          {func(t *testing.T, s folder) { segment(t, s, "x.rete"); s.put(t, "db", s.naming("x.rete")[1:]) }, "x.rete", "may be in use: "},
		"a segment of another ending": {func(t *testing.T, s folder) { segment(t, s, "x"); s.put(t, "db", s.naming("x")[1:]) }, "x", "may be in use: "},
		"no segment, and damage":      {func(t *testing.T, s folder) { s.put(t, "x.csv", []byte("a,b")); s.put(t, "db", s.naming("x.rete")[1:]) }, "x.csv", ""},
		"the damaged manifest":        {func(t *testing.T, s folder) { s.put(t, "db", s.naming("x.rete")[1:]) }, "db", "may be in use: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSharedFolder(t)
			if c.arrange != nil {
				c.arrange(t, s)
			}
			file := c.file
			if file == "" {
				file = s.dropped
			}
			t.Chdir(filepath.Dir(s.at(file)))
			for _, name := range []string{s.at(file), filepath.Base(file), filepath.Join("..", filepath.Base(filepath.Dir(s.at(file))), filepath.Base(file))} {
				err := engine.Unused(t.Context(), name)
				if (err == nil) != (c.by == "") || err != nil && (!errors.Is(err, engine.ErrInUse) || !strings.Contains(err.Error(), c.by) || !strings.HasPrefix(err.Error(), name)) {
					t.Errorf("%s: got %v, want %q", name, err, c.by)
				}
			}
		})
	}
}

// A new segment takes no name that a manifest of its folder has for another one, there or
// not.
func TestCompactNeverNamed(t *testing.T) {
	s := newSharedFolder(t)
	s.put(t, "db", s.naming("missing.rete"))
	s.put(t, "below/db", s.naming("missing.rete"))
	s.commit(t)
	for out, want := range map[string]string{"missing.rete": "db names", "below/missing.rete": "db names", s.dropped: "names"} {
		_, err := s.db.Compact(t.Context(), &engine.CompactOptions{Out: s.at(out)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", out, err)
		}
	}
	if _, err := s.db.Compact(t.Context(), &engine.CompactOptions{Out: s.at("new.rete")}); err != nil {
		t.Error(err)
	}
}
