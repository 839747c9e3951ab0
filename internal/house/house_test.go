package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files and returns their folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// mustFind compares findings with texts that they begin with, one for each.
func mustFind(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const table = `
| floor | package | duty | imports |
| --- | --- | --- | --- |
| 3 | ` + "`app`" + ` | | ` + "`store`, `text`" + ` |
| 2 | ` + "`store`" + ` | | ` + "`text`" + ` |
| 1 | ` + "`text`" + ` | | |
`

func TestImports(t *testing.T) {
	rooms, wrong := readTable(table)
	mustFind(t, wrong, nil)
	mustFind(t, climbs(rooms, []goPackage{
		{ImportPath: "app", Imports: []string{"store", "text/lines", "internal/cache"}},
		{ImportPath: "store/disk", Imports: []string{"store", "text", "app"}},
		{ImportPath: "store", Imports: []string{"internal/segtest"}},
		{ImportPath: "text", Imports: []string{"store/disk"}},
		{ImportPath: "internal/cache", Imports: []string{"internal/damage", "text"}},
		{ImportPath: "internal/segtest", Imports: []string{"app"}},
		{ImportPath: "bench/x", Imports: []string{"app"}},
		{ImportPath: "lost"},
	}), []string{
		"docs/architecture.md: lost is in no room",
		"internal/cache imports text,",
		"store imports internal/segtest, which is for tests",
		"store/disk imports app,",
		"text imports store/disk,",
	})
	_, wrong = readTable(strings.Replace(table, "| 2 |", "| 3 |", 1))
	mustFind(t, wrong, []string{"docs/architecture.md: app on floor 3 may not import store"})
	_, wrong = readTable("no table")
	mustFind(t, wrong, []string{"docs/architecture.md: no table"})
}

func TestFiles(t *testing.T) {
	mustFind(t, crowded([]goPackage{
		{ImportPath: "a", GoFiles: make([]string, maxFiles)},
		{ImportPath: "b", GoFiles: make([]string, maxFiles+1)},
		{ImportPath: "cmd/b", GoFiles: make([]string, 2*maxFiles)},
	}), []string{"b has 36 "})
}

func TestPages(t *testing.T) {
	got, err := pages(tree(t, map[string]string{
		"README.md":     "[a](docs/a.md#two-words), [b](docs/b.md), [c](docs/a.md#none), [d](https://x/y.md), `docs/a.go`, `else/a.go`\n",
		"docs/a.md":     "# One\n## Two words\n### 3. Numbered\n[up](../README.md) [here](#one)\n",
		"p/p.go":        "// See a.md, docs/a.md 3, docs/a.md section 4 and docs/gone.md.\npackage p\n",
		"p/testdata/x/": "",
	}))
	if err != nil {
		t.Fatal(err)
	}
	mustFind(t, got, []string{
		"README.md:1: a link to docs/b.md", "README.md:1: a.md has no heading #none", "README.md:1: there is no file docs/a.go",
		"p/p.go:1:1: docs/a.md has no section 4", "p/p.go:1:1: there is no page docs/gone.md",
	})
}

func TestSubjects(t *testing.T) {
	mustFind(t, longSubjects("1234567 a: short\n89abcde b: "+strings.Repeat("ü", 70)+"\n"), []string{"commit 89abcde: a subject of 73 "})
	if list, err := commits(t.TempDir()); err != nil || list != nil {
		t.Errorf("without a history: %v, %v", list, err)
	}
}

// TestUnused: what counts as a use of an exported name.
func TestUnused(t *testing.T) {
	got, err := unused(tree(t, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": `package a

type Kind int

const (
	First Kind = iota
	Second
	Plain = 7
)

type Options struct{ Level Level }

type Level int

type Asker interface{ Ask() }

func Open(o Options, x any) Kind { _, _ = x.(Asker); Own(); return First }

func Own() {}

func (Kind) String() string { return "" }

func (Kind) Lost() {}

func Example() {}
`,
		"a/a_test.go":          "package a_test\n\nimport \"m/a\"\n\nvar _ = a.Example\n",
		"b/b.go":               "package b\n\nimport \"m/a\"\n\nvar _ = a.Open(a.Options{}, nil)\n",
		"internal/c/c.go":      "package c\n\nfunc Tested() {}\n\nfunc Both() {}\n\nfunc init() { Both() }\n",
		"internal/c/c_test.go": "package c_test\n\nimport \"m/internal/c\"\n\nfunc init() { c.Tested(); c.Both() }\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	mustFind(t, got, []string{"a/a.go:19: Own", "a/a.go:23: Kind.Lost", "a/a.go:8: Plain", "internal/c/c.go:3: Tested"})
}

// TestSurface: what is counted, and which types have no name outside.
func TestSurface(t *testing.T) {
	root := tree(t, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": `package a

import "m/internal/c"

type Named = c.Named

type Options struct {
	FS    c.FS
	Named Named
	own   c.FS
}

type Wrap struct{ *c.Wrapped }

type Option func(*config)

type config struct{}

func Open(Named, map[string][]c.FS) error { return nil }

func (Wrap) Do(Option) {}

const First, second = 1, 2
`,
		"internal/c/c.go": `package c

type FS interface{ Open() }

type Named struct{}

func (Named) Ask() Lost { return Lost{} }

type Lost struct{}

type Wrapped struct{}

func (*Wrapped) Find(FS) {}
`,
	})
	counts, wrong, err := exported(root)
	if err != nil {
		t.Fatal(err)
	}
	mustFind(t, wrong, []string{
		"a.Named.Ask: nobody outside can name internal/c.Lost", "a.Open: nobody outside can name internal/c.FS",
		"a.Options.FS: nobody outside can name internal/c.FS", "a.Wrap.Wrapped.Find: nobody outside can name internal/c.FS",
	})
	if len(counts) != 1 || counts[0] != (packageNames{"a", 8}) {
		t.Errorf("counted: %v", counts)
	}
}

func TestDead(t *testing.T) {
	root := tree(t, map[string]string{"a/a.go": "package a\n\nfunc lost() {\n}\n\nfunc (*Kind) kind() {}\n"})
	got, err := unreached(root, []byte(`[{"Funcs": [
		{"Name": "lost", "Position": {"File": "a/a.go", "Line": 3}},
		{"Name": "Kind.kind", "Position": {"File": "a/a.go", "Line": 6}}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	mustFind(t, got, []string{"a/a.go:3: nothing reaches lost"})
}
