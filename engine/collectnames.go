package engine

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/internal/vfs"
)

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

// isTemp reports whether a temporary file is of the manifest, of what lies beside it, or
// of a segment.
func (o *ownNames) isTemp(name string, others *folder.Scanner[*Manifest]) bool {
	to := vfs.TempTarget(name)
	if o.minted(to) {
		return true
	}
	return to == o.base || strings.HasPrefix(to, o.base+".") && len(others.Owner(to)) <= len(o.base)
}

// minted reports whether a name is one that commits of this manifest give.
func (o *ownNames) minted(name string) bool {
	of, ok := mintedFor(name)
	return ok && o.names[of]
}

// mintedFor returns the name of the graph in a name that [SegmentName] made.
func mintedFor(file string) (name string, ok bool) {
	rest, ok := strings.CutSuffix(file, segmentSuffix)
	if !ok {
		return "", false
	}
	rest = strings.TrimSuffix(rest, ".tomb")
	part := strings.Split(rest, "-")
	if len(part) < 4 {
		return "", false
	}
	g, hash, random := part[len(part)-3], part[len(part)-2], part[len(part)-1]
	if len(hash) != 8 || len(random) != 6 || !strings.HasPrefix(g, "g") {
		return "", false
	}
	_, err1 := strconv.ParseUint(g[1:], 10, 63)
	_, err2 := strconv.ParseUint(hash, 16, 32)
	if err1 != nil || err2 != nil || strings.Trim(random, mintLetters) != "" {
		return "", false
	}
	name = strings.Join(part[:len(part)-3], "-")
	return name, checkName(name) == nil
}
