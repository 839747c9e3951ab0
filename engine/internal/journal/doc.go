// Package journal reads and writes the journal of a manifest: a text file of the
// changes that are in no segment yet (docs/journal.md).
//
//	# journal 5f0c… lineage=77ab… base=2 first=17
//	+ <http://ex/a> <http://ex/knows> <http://ex/b> .
//	- <http://ex/a> <http://ex/age> "41"^^<…#integer> <http://ex/g> .
//	# commit 17 lines=2 synced=16 xxh64=89ab12cd34ef5678
//
// A batch is the lines before a commit line, which has the batch's number, its
// number of lines, the last batch that was known to be on disk when the line was
// written, and xxhash64 over the commit line before it and the bytes of the
// lines. For the first batch of a file the header line stands for the commit line
// before it; the header of a file that goes on where another one ended has that
// one's last hash as a further field, `after=`, so that the chain runs on across
// files and the header is covered too.
//
// Line ends after the last batch are room for the next ones.
//
// A journal NAME is a chain of files: NAME.<first batch>, oldest first, left by
// seals that are not finished, and NAME, which is appended to. NAME.mark says how far
// it was on disk at the last rotation or clean stop ([Mark]). [Load] reads a chain
// without any lock. A [Writer] has an [Owner].
package journal
