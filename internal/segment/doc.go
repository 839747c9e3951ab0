// Package segment is one .rete file: building, opening, checking and scanning
// it (docs/file-format.md, generation 1, and docs/format-map.md). It knows nothing of
// other segments.
//
// A [Segment] is opened over any [blob.Object] and reads as little as it can:
// the header and the map, then only the dictionary chunks and the tiles that are
// asked for, through one [cache.Cache] that all segments of a process share.
// Chunks and tiles are checked against the map on first use, the map against the
// pin ([Pin]). A file without a pinned map, the prior system's for instance,
// works the same after it was hashed whole once.
//
// Inside a segment a quad is three ids in one of the graphs. Ids count from 1
// in the four sections of the dictionary; [Counts] turns subject and object ids
// into nodes, one number for each term wherever it is used. A [Scan] hands out
// stretches of decoded tiles in one of the six orders. [Segment.Locate] and
// [Segment.Decode] translate sorted batches between ids and surfaces.
//
// A [Builder] makes a file from quads in any order: documents, readers, or a sequence of a
// program (AddQuads, see its example); a [Writer] from terms and
// triples that are sorted already, which is what compaction has. Both are
// deterministic: the bytes depend on the set of quads and the options alone.
//
// A Segment may be used concurrently; a Scan, a TermScan, a Builder and a Writer
// belong to one goroutine each, except where their comments say otherwise.
// Errors match [damage.Err] where stored bytes are not what they must be; no row
// is ever left out because of damage.
//
// The package is a facade. Package segment has what programs outside see of it. The rooms below: format (header, counts,
// digests, map), read (opening and reading), verify (reading all of it twice and comparing),
// write (sorted input to a file), build (any input to sorted), spool (temporary files).
package segment
