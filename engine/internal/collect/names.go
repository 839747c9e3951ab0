package collect

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
)

// segmentOf returns the segment that a file is, or is the hash tree of.
func segmentOf(name string) (of string, tree bool) {
	return strings.CutSuffix(name, segment.TreeName(""))
}

// ownNames are the names that files of a manifest have.
type ownNames struct {
	base  string          // of the manifest
	names map[string]bool // of the graph, in all generations
}

// archive returns the generation that an archive of this manifest has in its name.
func (o *ownNames) archive(name string) (generation int64, ok bool) {
	g, ok := strings.CutPrefix(name, o.base+".g")
	n, err := strconv.ParseInt(g, 10, 64)
	return n, ok && err == nil && strconv.FormatInt(n, 10) == g
}

// isTemp reports whether a temporary file is of the manifest, of what lies next to it, or
// of a segment.
func (o *ownNames) isTemp(name string, others *folder.Scanner) bool {
	to := vfs.TempTarget(name)
	if o.minted(to) {
		return true
	}
	return to == o.base || strings.HasPrefix(to, o.base+".") && len(others.Owner(to)) <= len(o.base)
}

// minted reports whether a name is one that commits of this manifest give.
func (o *ownNames) minted(name string) bool {
	of, ok := manifest.GraphOf(name)
	return ok && o.names[of]
}
