package longtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

// listed returns the patterns of .ci/long by package.
func listed(t *testing.T) map[string][]*regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".ci", "long"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]*regexp.Regexp{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) < 4 || f[1] != "ci" && f[1] != "flag" {
			t.Fatalf(".ci/long: want a package, ci or flag, a pattern and what it is: %s", line)
		}
		re, err := regexp.Compile("^(" + f[2] + ")$")
		if err != nil {
			t.Fatal(err)
		}
		out[f[0]] = append(out[f[0]], re)
	}
	return out
}

// eachFunction calls use with every function that a test file of the tree declares.
func eachFunction(t *testing.T, use func(pkg string, f *ast.FuncDecl)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "longtest") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := "./" + filepath.ToSlash(dir)
		if dir == "." {
			pkg = "."
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				use(pkg, f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestList: each test that has a long form is in .ci/long, and each line there is of such a
// package and of tests that exist.
func TestList(t *testing.T) {
	list, names := listed(t), map[string][]string{}
	eachFunction(t, func(pkg string, f *ast.FuncDecl) {
		test := strings.HasPrefix(f.Name.Name, "Test")
		if test {
			names[pkg] = append(names[pkg], f.Name.Name)
		}
		if usesLong(f) && (test && !matches(list[pkg], f.Name.Name) || len(list[pkg]) == 0) {
			t.Errorf(".ci/long does not list %s of %s", f.Name.Name, pkg)
		}
	})
	for pkg, patterns := range list {
		for _, re := range patterns {
			for name := range strings.SplitSeq(strings.Trim(re.String(), "^()$"), "|") {
				if alone := regexp.MustCompile("^" + name + "$"); !anyMatch(alone, names[pkg]) {
					t.Errorf(".ci/long lists %s of %s, which is not there", name, pkg)
				}
			}
		}
	}
}

// usesLong reports whether a function asks for the form.
func usesLong(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "longtest" {
			found = true
		}
		return !found
	})
	return found
}

func matches(patterns []*regexp.Regexp, name string) bool {
	for _, re := range patterns {
		if re.MatchString(name) {
			return true
		}
	}
	return false
}

func anyMatch(re *regexp.Regexp, names []string) bool {
	for _, name := range names {
		if re.MatchString(name) {
			return true
		}
	}
	return false
}
