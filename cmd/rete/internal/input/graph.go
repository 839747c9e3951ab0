package input

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/rdfio"
)

// IsGraphName tells a manifest or a segment by its name.
func IsGraphName(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".rete")
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
		found, err := manifest.Find(name)
		return err == nil && found == name
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
