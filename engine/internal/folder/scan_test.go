package folder_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// text is a manifest as others write it, without the digest of its bytes, so that a test
// may change these.
func text(name string, generation int64) string {
	m := &manifest.Manifest{Name: name, Generation: generation, Lineage: strings.Repeat("ab", 16),
		Log: []manifest.Entry{{Adds: &manifest.SegmentRef{FileRef: manifest.FileRef{URL: "a.rete", Size: 7}}}}}
	return regexp.MustCompile(`,\s*"self": "[^"]*"`).ReplaceAllString(string(m.Encode()), "")
}

// found collects what a scan says: a name, and a name with ! for a problem.
type found struct {
	list []string
	full map[string]string
}

func scanner(fsys vfs.FS, dir string, f *found) *folder.Scanner {
	f.full = map[string]string{}
	return &folder.Scanner{FS: fsys, Dir: dir, Found: func(file folder.File, m *manifest.Manifest) error {
		f.list = append(f.list, file.Name)
		f.full[file.Name] = file.Full
		return nil
	}}
}

func scan(t *testing.T, s *folder.Scanner, f *found) []string {
	t.Helper()
	f.list = nil
	entries, err := s.FS.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.Scan(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		f.list = append(f.list, p.Name+"!")
	}
	slices.Sort(f.list)
	return f.list
}

func put(t *testing.T, fsys vfs.FS, name, data string) {
	t.Helper()
	if _, err := vfs.WriteFile(fsys, name, []byte(data), fsys.Rename); err != nil {
		t.Fatal(err)
	}
}

// What counts as a manifest is its content, and a file that says it is one, by its
// content, its name, or that of its archives, is never passed over.
func TestScan(t *testing.T) {
	m := text("g", 3)
	short := `{"log": [], "name": "g", "generation": 3, "rete_manifest": 1}`
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"any name":         {map[string]string{"schema.json": m, "db": m, ".hidden": m, "x.rete-manifest.json": m}, []string{".hidden", "db", "schema.json", "x.rete-manifest.json"}},
		"any order":        {map[string]string{"a": short}, []string{"a"}},
		"blanks before":    {map[string]string{"a": strings.Repeat(" \n\t\r", 2000) + m}, []string{"a"}},
		"only blanks":      {map[string]string{"a": strings.Repeat(" \n", 4000)}, nil},
		"byte order mark":  {map[string]string{"a": "\ufeff" + m}, []string{"a!"}},
		"escaped key":      {map[string]string{"a": strings.Replace(short, "rete_m", `rete\u005fm`, 1)}, []string{"a"}},
		"nothing":          {map[string]string{"a": ""}, nil},
		"no manifests":     {map[string]string{"a": "{}", "b": "[1]", "c": `{"a": "rete_manifest"}`, "d": `{"name": 1, "generation": 2}`, "e": "text", "f": "{ turtle: }"}, nil},
		"lines of JSON":    {map[string]string{"log": `{"msg": "rete_manifest is missing", "generation": 1}` + "\n" + `{"log": 1}`}, nil},
		"a segment":        {map[string]string{"x.rete": m}, nil},
		"a temporary file": {map[string]string{vfs.TempName("g.json"): m}, nil},
		"another version":  {map[string]string{"a": strings.Replace(short, `"rete_manifest": 1`, `"rete_manifest": 2`, 1)}, []string{"a!"}},
		"a key twice":      {map[string]string{"a": strings.Replace(short, `"log"`, `"log": [], "log"`, 1)}, []string{"a!"}},
		"without version":  {map[string]string{"a": strings.Replace(short, "rete_m", "rete-m", 1)}, []string{"a!"}},
		"a wrong field":    {map[string]string{"a": strings.Replace(short, "3", "-3", 1)}, []string{"a!"}},
		"more after it":    {map[string]string{"a": short + "x"}, []string{"a!"}},
		"its usual name":   {map[string]string{"a.rete-manifest.json": "text", "b.rete-manifest.json": "", "c.rete-manifest.json.g7": "{}"}, []string{"a.rete-manifest.json!", "b.rete-manifest.json!", "c.rete-manifest.json.g7!"}},
		"next to it":       {map[string]string{"a.rete-manifest.json.changes": "# journal", "a.rete-manifest.json.gc": `{"rete_gc": 1, "marks": []}`}, nil},
		"an archive of it": {map[string]string{"a": m, "a.g2": text("g", 2), "a.g1": "torn"}, []string{"a", "a.g1!", "a.g2"}},
		"its archive":      {map[string]string{"a": "\x5b" + m[1:20], "a.g2": text("g", 2)}, []string{"a!", "a.g2"}},
		"no archive":       {map[string]string{"a": m, "a.gx": "text", "a.g": "text", "b.g1": "text"}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			mem := vfs.NewMem()
			for file, data := range c.files {
				put(t, mem, file, data)
			}
			var f found
			if got := scan(t, scanner(mem, ".", &f), &f); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A file of more bytes than a manifest may have is none, but for its name.
func TestScanTooLarge(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b.rete-manifest.json"} {
		full := filepath.Join(dir, name)
		if err := os.WriteFile(full, []byte(text("g", 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(full, manifest.MaxBytes+1); err != nil { // it takes no room
			t.Fatal(err)
		}
	}
	var f found
	if got, want := scan(t, scanner(vfs.OS(), dir, &f), &f), []string{"b.rete-manifest.json!"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// No flipped bit, and no end that is missing, hides a manifest, whatever its name is.
func TestScanDamaged(t *testing.T) {
	whole := text("g", 1)
	try := func(what, data string) {
		t.Helper()
		mem := vfs.NewMem()
		put(t, mem, "db", data)
		var f found
		if got := scan(t, scanner(mem, ".", &f), &f); len(got) != 1 {
			t.Errorf("%s: passed over:\n%.80q", what, data)
		}
	}
	for i := range whole {
		for bit := range 8 {
			b := []byte(whole)
			b[i] ^= 1 << bit
			try(fmt.Sprintf("bit %d of byte %d", bit, i), string(b))
		}
		if i > strings.Index(whole, `": 1`)+3 {
			try(fmt.Sprintf("the first %d bytes", i), whole[:i])
		}
	}
}

// Each file is read once, and again only after a change.
func TestScanReadsOnce(t *testing.T) {
	mem := vfs.NewMem()
	put(t, mem, "a.json", text("a", 1)+strings.Repeat("\n", 100_000))
	put(t, mem, "b.json", "[1]"+strings.Repeat(" ", 100_000))
	put(t, mem, "c.bin", strings.Repeat("x", 100_000))
	put(t, mem, "d.rete", strings.Repeat("x", 100_000))
	read := map[string]int{}
	var f found
	s := scanner(vfs.NewFault(mem, func(c vfs.Call) error {
		if c.Op == vfs.OpRead {
			read[c.Name] += c.Size
		}
		return nil
	}), ".", &f)
	scan(t, s, &f)
	if read["a.json"] > 100_000+8<<10 || read["b.json"] > 4<<10 || read["c.bin"] > 4<<10 || read["d.rete"] > 0 {
		t.Errorf("read %v bytes", read)
	}
	clear(read)
	if got := scan(t, s, &f); len(got) > 0 || len(read) > 0 {
		t.Errorf("again: found %v, read %v", got, read)
	}
	put(t, mem, "a.json", text("a", 2))
	put(t, mem, "c.bin", text("c", 1))
	put(t, mem, "b.json", `{"rete_manifest": 1}`)
	if got := scan(t, s, &f); !slices.Equal(got, []string{"a.json", "b.json!", "c.bin"}) {
		t.Errorf("after changes: %v", got)
	}
	if got := scan(t, s, &f); !slices.Equal(got, []string{"b.json!"}) {
		t.Errorf("a problem is one until it is mended: %v", got)
	}
	if got := s.Owner("c.bin.g1"); got != "c.bin" {
		t.Errorf("owner: %q", got)
	}
}

// A file that cannot be read may be a manifest, unless it belongs to one.
func TestScanUnreadable(t *testing.T) {
	mem := vfs.NewMem()
	for _, name := range []string{"a", "a.lock", "a.changes.lock", "a.g1", "other", "b.rete-manifest.json.changes.owner"} {
		put(t, mem, name, text("a", 1))
	}
	var f found
	s := scanner(vfs.NewFault(mem, func(c vfs.Call) error {
		if c.Op == vfs.OpOpen && c.Name != "a" {
			return fs.ErrPermission
		}
		return nil
	}), ".", &f)
	if got := scan(t, s, &f); !slices.Equal(got, []string{"a", "a.g1!", "other!"}) {
		t.Errorf("got %v", got)
	}
	s.FS = vfs.NewFault(mem, func(c vfs.Call) error {
		if c.Op == vfs.OpRead {
			return vfs.ErrInjected
		}
		return nil
	})
	if got := scan(t, s, &f); !slices.Contains(got, "a.lock!") {
		t.Errorf("a disk that fails: got %v", got)
	}
}

// Links stand for what they lead to; directories, and links to nothing, are nothing.
func TestScanLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.MkdirAll(at("in/d.rete-manifest.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, vfs.OS(), at("there"), text("g", 1))
	for link, to := range map[string]string{"in/link": "../there", "in/none": "nothing", "in/loop": "loop", "in/dir": "."} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Link(at("there"), at("in/hard")); err != nil {
		t.Skip(err)
	}
	var f found
	s := scanner(vfs.OS(), at("in"), &f)
	if got := scan(t, s, &f); !slices.Equal(got, []string{"hard", "link"}) || f.full["link"] != at("there") || f.full["hard"] != at("in/hard") {
		t.Errorf("got %v, %v", got, f.full)
	}
	put(t, vfs.OS(), at("there"), text("g", 2))
	if got := scan(t, s, &f); !slices.Equal(got, []string{"link"}) {
		t.Errorf("after a change of the file: got %v", got)
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		url  string
		want []string
	}{
		{"a.rete", []string{"/d/a.rete"}},
		{"./a.rete", []string{"/d/a.rete"}},
		{"../e//a.rete", []string{"/e/a.rete"}},
		{"/x/a.rete", []string{"/x/a.rete"}},
		{"a%20b.rete", []string{"/d/a%20b.rete", "/d/a b.rete"}},
		{"a%2", []string{"/d/a%2"}},
		{"file:///x/a%20b", []string{"/x/a%20b", "/x/a b"}},
		{"file://host/x/a", []string{"/x/a"}},
	} {
		got := folder.Paths(filepath.FromSlash("/d"), c.url)
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.url, got, c.want)
		}
	}
}

// Names are found by path, by URL, and by what a path leads to.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a", "b", "c"} {
		put(t, vfs.OS(), at(name), strings.Repeat("x", 10))
	}
	if err := os.Symlink("b", at("link")); err != nil {
		t.Skip(err)
	}
	var n folder.Names
	n.Add(dir, "./a", "one")
	n.Add(dir, "link", "two")
	n.Add(dir, "missing", "two")
	n.Add(dir, "a/below/a/file", "two")
	n.Add(dir, "http://host/x/C%41.rete?token=1#x", "three")
	n.Add(dir, "s3://bucket/key/k.rete", "three")
	for name, want := range map[string]string{"a": "one", "b": "", "link": "two", "missing": "two", "CA.rete": "three", "k.rete": "three"} {
		if by, ok := n.Has(at(name)); by != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, by, ok)
		}
	}
	for name, want := range map[string]string{"a": "one", "b": "two", "link": "two", "c": ""} {
		st, err := os.Stat(at(name))
		if err != nil {
			t.Fatal(err)
		}
		if by, ok, err := n.HasFile(vfs.OS(), st); by != want || ok != (want != "") || err != nil {
			t.Errorf("%s: %q, %v, %v", name, by, ok, err)
		}
	}
	st, err := os.Stat(at("c"))
	if err != nil {
		t.Fatal(err)
	}
	n.Add(dir, "c", "four")
	if by, ok, err := n.HasFile(vfs.OS(), st); by != "four" || !ok || err != nil {
		t.Errorf("added later: %q, %v, %v", by, ok, err)
	}
	var bad folder.Names
	bad.Add("", "x", "one")
	hidden := vfs.NewFault(vfs.NewMem(), func(vfs.Call) error { return fs.ErrPermission })
	if _, _, err := bad.HasFile(hidden, st); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a path that cannot be followed: %v", err)
	}
}
