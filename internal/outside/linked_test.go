package outside_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestLinked: what a package links is its own: the engine no query engine, the root no server,
// a segment no database.
func TestLinked(t *testing.T) {
	const module = "github.com/rete-go/rete"
	for pkg, not := range map[string][]string{
		module + "/engine":        {"/sparql", "/server"},
		module + "/engine/backup": {"/sparql", "/server"},
		module:                    {"/server", "/cmd", "/blob/s3"},
		module + "/sparql":        {"/engine", "/segment", "/internal/segment", "/server"},
		module + "/segment":       {"/engine", "/sparql", "/server"},
	} {
		out, err := exec.Command("go", "list", "-deps", pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, module+"/rdf") {
			t.Errorf("%s links no terms:\n%s", pkg, out)
		}
		for _, dep := range deps {
			for _, n := range not {
				if path := strings.TrimPrefix(dep, module); path != dep && (path == n || strings.HasPrefix(path, n+"/")) {
					t.Errorf("%s links %s", pkg, dep)
				}
			}
		}
	}
}
