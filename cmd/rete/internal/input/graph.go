package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/rdfio"
)

// IsGraphName tells a manifest or a segment by its name.
func IsGraphName(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".rete")
}

// Graph returns the manifest of a folder that is a graph, and any other name as it is. The
// graph of a folder is the one manifest in it; several are an error. A remote folder, which ends
// with a slash, cannot be listed everywhere: its graph is the one that [ManifestOf] makes.
func Graph(name string) (string, error) {
	if blob.IsRemote(name) {
		return ManifestOf(name), nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, nil // it shows where it is opened
	}
	found, err := manifests(name)
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

// manifests are the names of the manifests in a folder.
func manifests(folder string) (found []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), manifest.Suffix) && len(e.Name()) > len(manifest.Suffix) {
			found = append(found, e.Name())
		}
	}
	return found, nil
}

// ManifestOf returns the manifest that a new graph of that name has: the name itself if it is
// that of a file, else one in the folder of that name, which need not be there.
func ManifestOf(name string) string {
	switch {
	case IsGraphName(name):
		return name
	case blob.IsRemote(name):
		return remoteManifest(name)
	}
	base := filepath.Base(name)
	if abs, err := filepath.Abs(name); err == nil {
		base = filepath.Base(abs)
	}
	if manifest.CheckName(base) != nil {
		base = "graph"
	}
	return filepath.Join(name, base+manifest.Suffix)
}

// remoteManifest returns the manifest of a remote folder, which ends with a slash, and any other
// name as it is. At the root of a server it is graph.rete-manifest.json, in that of a bucket it
// has the bucket's name.
func remoteManifest(name string) string {
	folder, ok := strings.CutSuffix(name, "/")
	if !ok || strings.ContainsAny(name, "?#") {
		return name
	}
	scheme, place, _ := strings.Cut(folder, "://")
	base := path.Base(place)
	if !strings.Contains(place, "/") && strings.HasPrefix(scheme, "http") || manifest.CheckName(base) != nil {
		base = "graph"
	}
	return name + base + manifest.Suffix
}

// IsDocument tells a name of documents from that of a graph: a folder without a manifest, a
// pattern, "-", a file or an address with the ending of a syntax, or a file of any name that is
// no manifest. A name of nothing that tells neither counts as a graph.
func IsDocument(name string) bool {
	switch {
	case name == "-":
		return true
	case IsGraphName(name):
		return false
	case rdfio.FormatOf(name) != rdfio.Unknown:
		return true
	case blob.IsRemote(name):
		return false
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return strings.ContainsAny(name, "*?[")
	case err != nil:
		return false
	case info.IsDir():
		found, err := manifests(name)
		return err == nil && len(found) == 0
	case !info.Mode().IsRegular():
		return true
	}
	return !isManifest(name)
}

// manifestMark is in the first bytes of every manifest.
var manifestMark = []byte(`"rete_manifest"`)

// isManifest tells a manifest of another name by its content.
func isManifest(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], manifestMark)
}
