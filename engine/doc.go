// Package engine is a database of RDF quads: an ordered log of immutable
// segments under a small manifest, read as one graph.
//
//	visible = ∅
//	for entry in log:  visible = (visible ∖ entry.dels) ∪ entry.adds
//
// A [DB] is a manifest and what it names, opened by [Open] or made by [Init]. A
// [Snapshot] is the graph of one generation and one place in the journal: it is
// immutable and never blocks writers. [DB.Add] appends entries, [DB.Compact] turns
// entries into one, [DB.Status] checks every segment, [DB.Log], [DB.At], [DB.Diff]
// and [DB.Revert] are the history. A commit is done, definitely not done
// ([ErrConflict] and others), or unknown ([ErrUnknownOutcome]); nobody's commit is
// ever lost.
//
// [DB.Write] runs a transaction: single quads go through a journal, which is a text
// file of checksummed batches with one owner, and are on disk before it returns.
// What is in the journal is a part of every snapshot, on top of the log. [DB.Seal]
// makes it an entry of the log, while readers and writers go on; [DB.Maintain] does
// so by policy, and compacts. [DB.Collect] removes what nobody needs any more, and
// [Check] looks at all that belongs to a manifest.
//
// Inside a snapshot terms are numbers, the ids of its [View]: Lookup and Decode
// translate, Scan delivers the quads of a [Pattern] sorted, in batches of columns,
// Count and Estimate count. Opening reads headers, scanning reads the dictionary
// chunks and tiles that the pattern touches, and every one of them is checked
// against the manifest's pin before it is used: damage is an error that names the
// segment, never a missing row. errors.Is(err, [ErrDamaged]) tells it.
//
// A DB and a Snapshot may be used by several goroutines; a cursor by one.
package engine
