package format

import (
	"fmt"
	"math"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/rdf"
)

// The limits that the writer keeps and the reader enforces. docs/limits.md lists
// them with those of what is taken in, which are narrower: whatever a graph takes
// in, a segment can hold.

// DefaultMaxUnit is the largest unpacked size of a unit whose raw length no pinned
// map gives, and that of every unit in a file without a map: a dictionary chunk with
// a run of the longest terms.
const DefaultMaxUnit = 1<<30 + 1<<20

// A chunk ends at a run, so it has less than 64 KiB and one run of terms of at most
// rdf.MaxQuad bytes each.
const _ = uint(DefaultMaxUnit - 64<<10 - dict.R*(rdf.MaxQuad+20))

// MaxInfo bounds metadata and build-info each.
const MaxInfo = 16 << 20

// MaxGraphs bounds the named graphs of a file.
const MaxGraphs = math.MaxInt32

// MaxFirstName bounds the graph name in the root page's record of a page of graphs,
// which has all of it.
const MaxFirstName = 256

// MaxRoot bounds the root page of a map whose other pages have size bytes. A page's
// record holds the page's first key, which is in the page too, and fewer than 64
// bytes more; only the last page of a table is short.
func MaxRoot(pages uint64) uint64 { return 2*pages + 64<<10 }

// TooLarge is the error of a writer.
func TooLarge(what string, size, most uint64) error {
	return fmt.Errorf("segment: %s of %d bytes, more than the %d that can be read", what, size, most)
}
