package sparql_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// askers returns the names that operators ask for memory by, as the source has them, and a
// place of each. One that is added needs a query here that reaches it.
func askers(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	consts := map[string]string{}
	var calls []*ast.CallExpr
	set := token.NewFileSet()
	for _, name := range append(names, executorFiles(t)...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if text, ok := v.(*ast.BasicLit); ok && text.Kind == token.STRING {
						consts[n.Names[i].Name] = text.Value
					}
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 && slices.Contains([]string{"holding", "Holding", "Take", "Try"}, f.Sel.Name) {
					calls = append(calls, n)
				} else if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "newSpool" {
					calls = append(calls, n)
				}
			}
			return true
		})
	}
	for _, c := range calls {
		text := ""
		switch arg := c.Args[0].(type) {
		case *ast.BasicLit:
			text = arg.Value
		case *ast.Ident:
			text = consts[arg.Name]
		case *ast.SelectorExpr:
			text = consts[arg.Sel.Name]
		}
		if op, err := strconv.Unquote(text); err == nil {
			out[op] = set.Position(c.Pos()).String()
		}
	}
	if len(out) < 20 {
		t.Errorf("only %d names are found in the source", len(out))
	}
	return out
}

// executorFiles returns the files of package exec and of those below it.
func executorFiles(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir("internal/exec", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".go") {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
