package manifest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/manifest"
)

// TestRemoteFolder: a remote folder, which ends with a slash, is the graph that `init` of the
// same folder on disk makes; other names are as they are.
func TestRemoteFolder(t *testing.T) {
	for name, want := range map[string]string{
		"http://host/data/team/":             "http://host/data/team/team.rete-manifest.json",
		"https://ann:pw@host:8080/team/":     "https://ann:pw@host:8080/team/team.rete-manifest.json",
		"s3://bucket/team/":                  "s3://bucket/team/team.rete-manifest.json",
		"s3://bucket/":                       "s3://bucket/bucket.rete-manifest.json",
		"http://host/":                       "http://host/graph.rete-manifest.json",
		"http://host/my%20team/":             "http://host/my%20team/graph.rete-manifest.json",
		"http://host/team":                   "http://host/team",
		"http://host/team/?version=1":        "http://host/team/?version=1",
		"http://host/g.rete-manifest.json":   "http://host/g.rete-manifest.json",
		"http://host/g.rete":                 "http://host/g.rete",
		"http://host/g.rete-manifest.json?a": "http://host/g.rete-manifest.json?a",
	} {
		got, err := manifest.Find(name)
		if err != nil || got != want || manifest.NewName(name) != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, want)
		}
	}
}

// TestFolder: a folder with one manifest is that graph, also by another name than its own; others
// are as they are, and of several one must be named.
func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	file := func(name string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file("team/team.rete-manifest.json")
	file("team/team-g1.rete")
	file("other/own.rete-manifest.json")
	file("empty/.rete-manifest.json")
	file("two/a.rete-manifest.json")
	file("two/b.rete-manifest.json")
	for name, want := range map[string]string{
		"team":                         "team/team.rete-manifest.json",
		"team/":                        "team/team.rete-manifest.json",
		"team/team.rete-manifest.json": "team/team.rete-manifest.json",
		"other":                        "other/own.rete-manifest.json",
		"empty":                        "empty",
		"missing":                      "missing",
		"team/team-g1.rete":            "team/team-g1.rete",
	} {
		if got, err := manifest.Find(name); err != nil || filepath.ToSlash(got) != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := manifest.Find("two"); err == nil || !strings.Contains(err.Error(), "a.rete-manifest.json, b.rete-manifest.json") {
		t.Errorf("two manifests: %v", err)
	}
	for name, want := range map[string]string{"new": "new/new.rete-manifest.json", "a/b c": "a/b c/graph.rete-manifest.json", "m.json": "m.json"} {
		if got := filepath.ToSlash(manifest.NewName(name)); got != want {
			t.Errorf("a new %s: %s", name, got)
		}
	}
}
