// Package outside tests what programs outside the module see: the examples and the first words
// of every public package.
package outside

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	module = "github.com/rete-go/rete"
	root   = "../.."
)

// noExample are the public packages without an example that runs, and why.
var noExample = map[string]string{
	"dataset/datasettest": "runs in a test of the caller's, as its text shows",
	"engine/enginetest":   "is for tests of views",
}

// pkg is a public package as go list shows it.
type pkg struct {
	ImportPath, Dir, Name              string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// public lists the packages that programs outside can import. The benchmarks are programs.
func public(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skip("there is no go to list the packages: ", err)
	}
	var list []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if p.Name != "main" && !regexp.MustCompile(`(^|/)(internal|bench)(/|$)`).MatchString(p.path()) {
			list = append(list, p)
		}
	}
	if len(list) < 20 {
		t.Fatalf("%d public packages", len(list))
	}
	return list
}

// path is the import path inside the module.
func (p pkg) path() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

func parse(t *testing.T, dir string, names []string) (fset *token.FileSet, files []*ast.File) {
	t.Helper()
	fset = token.NewFileSet()
	for _, name := range names {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fset, files
}

var update = flag.Bool("update", false, "write docs/packages.md anew")

// TestPackages compares docs/packages.md with the texts of the packages.
func TestPackages(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Go packages\n\nEach package with the first sentence of its text; `go doc PACKAGE` has the rest, and its examples run. " +
		"A program imports `rete` to open a database and ask it, with `sparql` for options and `rdf` for terms; `engine` alone where it needs no SPARQL; `server` to serve.\n\n" +
		"| package | what |\n| --- | --- |\n")
	for _, p := range public(t) {
		fset, files := parse(t, p.Dir, p.GoFiles)
		d, err := doc.NewFromFiles(fset, files, p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		what := strings.TrimPrefix(d.Synopsis(d.Doc), "Package "+p.Name+" ")
		fmt.Fprintf(&b, "| `%s` | %s |\n", p.ImportPath, strings.ReplaceAll(what, "|", `\|`))
	}
	b.WriteString("\nMade by `go test ./internal/outside -run TestPackages -update`; CI compares it with the packages.\n")
	name := filepath.Join(root, "docs", "packages.md")
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(name); err != nil || string(old) != b.String() {
		t.Errorf("docs/packages.md is not what the packages say (%v): go test ./internal/outside -run TestPackages -update", err)
	}
}

// TestNouns: the text of a package begins with the names that a reader needs, as links: one of
// its first two paragraphs, without code, has one of them.
func TestNouns(t *testing.T) {
	for _, p := range public(t) {
		fset, files := parse(t, p.Dir, p.GoFiles)
		d, err := doc.NewFromFiles(fset, files, p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		text := d.Parser().Parse(d.Doc)
		found, paragraphs := false, 0
		for _, block := range text.Content {
			if paragraph, ok := block.(*comment.Paragraph); ok && paragraphs < 2 {
				paragraphs++
				for _, part := range paragraph.Text {
					_, link := part.(*comment.DocLink)
					found = found || link
				}
			}
		}
		if !found {
			t.Errorf("%s: the text of the package begins without a link to one of its names", p.ImportPath)
		}
	}
}

// TestExamples: every public package has an example whose output is compared, and each example
// is a program that compiles in another module, which can import no internal package.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	programs := 0
	for _, p := range public(t) {
		runs := false
		for _, names := range [][]string{p.TestGoFiles, p.XTestGoFiles} {
			for _, name := range names { // each file is complete, as godoc shows it
				fset, files := parse(t, p.Dir, []string{name})
				for _, e := range doc.Examples(files...) {
					runs = runs || e.Output != "" || e.EmptyOutput
					if e.Play == nil {
						t.Errorf("%s: %s: Example%s uses what is not in its file", p.ImportPath, name, e.Name)
						continue
					}
					var source bytes.Buffer
					if err := format.Node(&source, fset, e.Play); err != nil {
						t.Fatal(err)
					}
					programs++
					write(t, filepath.Join(dir, strings.ReplaceAll(p.path(), "/", "_")+"_"+e.Name, "example.go"), unlinked(source.String()))
				}
			}
		}
		if why := noExample[p.path()]; runs == (why != "") {
			t.Errorf("%s: it has an example that runs: %v (%s)", p.ImportPath, runs, why)
		}
	}
	if programs < 40 {
		t.Fatalf("%d examples", programs)
	}
	compile(t, dir)
}

// TestSnippets compiles the complete Go files that pages show, with what they need besides.
func TestSnippets(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	found := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindAllSubmatch(text, -1) {
			found++
			write(t, filepath.Join(dir, fmt.Sprint(strings.TrimSuffix(filepath.Base(page), ".md"), i), "main.go"), unlinked(string(b[1])))
		}
	}
	if found < 2 {
		t.Errorf("%d snippets", found)
	}
	write(t, filepath.Join(dir, "service0", "use.go"), `package program

import "github.com/rete-go/rete"

var _ = rete.Options{Tracer: otelTracer{}}
`)
	compile(t, dir, "go.opentelemetry.io/otel v1.47.0", "go.opentelemetry.io/otel/trace v1.47.0")
}

// unlinked makes of a program a package, which is compiled and not linked.
func unlinked(source string) string {
	return strings.Replace(source, "package main", "package program", 1)
}

// compile compiles the packages below dir as a module of its own that requires this one, and other
// modules of the cache. It asks no network: what the cache does not have skips the test.
func compile(t *testing.T, dir string, require ...string) {
	t.Helper()
	repo, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.org/outside\n\ngo 1.26.0\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + repo + "\n"
	for _, r := range require {
		mod += "\nrequire " + r + "\n"
	}
	write(t, filepath.Join(dir, "go.mod"), mod)
	sums, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sums))
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil && strings.Contains(string(out), "GOPROXY=off") {
		t.Skipf("the module cache lacks what the examples need:\n%s", out)
	}
	if err != nil {
		t.Errorf("outside the module: %v\n%s", err, out)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestLinks: what a program links, by the package that it imports.
func TestLinks(t *testing.T) {
	for path, none := range map[string][]string{
		"":        {module + "/server", module + "/engine/metrics", "github.com/prometheus/", "github.com/aws/", "github.com/spf13/"},
		"engine":  {module + "/sparql", module + "/server", "github.com/prometheus/", "github.com/aws/"},
		"segment": {module + "/engine", module + "/sparql"},
		"sparql":  {module + "/segment", module + "/engine"},
	} {
		cmd := exec.Command("go", "list", "-deps", "./"+path)
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Skip("there is no go to list the packages: ", err)
		}
		for dep := range strings.Lines(string(out)) {
			for _, n := range none {
				if strings.HasPrefix(strings.TrimSpace(dep)+"/", strings.TrimSuffix(n, "/")+"/") {
					t.Errorf("%s links %s", module+"/"+path, dep)
				}
			}
		}
	}
}
