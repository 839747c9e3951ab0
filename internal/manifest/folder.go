package manifest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/blob"
)

// Find returns the name of the manifest of a folder that is a graph, and any other name as it
// is. The graph of a folder is the one manifest in it; several are an error. A remote folder,
// which ends with a slash, cannot be listed everywhere: its graph is the one that [NewName] gives.
func Find(name string) (string, error) {
	if blob.IsRemote(name) {
		return NewName(name), nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, nil // it shows where it is opened
	}
	found, err := inFolder(name)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return filepath.Join(name, found[0]), nil
	case len(found) > 1:
		return "", fmt.Errorf("%s: %d graphs are in this folder, %s: name one", name, len(found), strings.Join(found, ", "))
	}
	return name, nil
}

// inFolder are the names of the manifests in a folder.
func inFolder(folder string) (found []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix) && len(e.Name()) > len(Suffix) {
			found = append(found, e.Name())
		}
	}
	return found, nil
}

// NewName returns the name of the manifest that a new graph of a name has: the name itself if it
// ends with .json or .rete, else that of a manifest in the folder of the name, which need not be
// there.
func NewName(name string) string {
	switch {
	case strings.HasSuffix(name, ".json"), strings.HasSuffix(name, SegmentSuffix):
		return name
	case blob.IsRemote(name):
		return remoteName(name)
	}
	base := filepath.Base(name)
	if abs, err := filepath.Abs(name); err == nil {
		base = filepath.Base(abs)
	}
	if CheckName(base) != nil {
		base = "graph"
	}
	return filepath.Join(name, base+Suffix)
}

// remoteName returns the manifest of a remote folder, which ends with a slash, and any other
// name as it is. At the root of a server it is graph.rete-manifest.json, in that of a bucket it
// has the bucket's name.
func remoteName(name string) string {
	folder, ok := strings.CutSuffix(name, "/")
	if !ok || strings.ContainsAny(name, "?#") {
		return name
	}
	scheme, place, _ := strings.Cut(folder, "://")
	base := path.Base(place)
	if !strings.Contains(place, "/") && strings.HasPrefix(scheme, "http") || CheckName(base) != nil {
		base = "graph"
	}
	return name + base + Suffix
}
