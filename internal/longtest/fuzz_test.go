package longtest_test

import (
	"go/ast"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFuzzFindsAll: .ci/fuzz runs every fuzz target of the tree.
func TestFuzzFindsAll(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	out, err := exec.Command(bash, filepath.Join(root, ".ci", "fuzz"), "-list").Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	eachFunction(t, func(pkg string, f *ast.FuncDecl) {
		if strings.HasPrefix(f.Name.Name, "Fuzz") {
			want = append(want, pkg+" "+f.Name.Name)
		}
	})
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
