// Package segment is one .rete file (docs/file-format.md; docs/format-06.md is read too): a
// [Builder] makes one of quads in any order, [Open] gives a [Segment], which says what is in it
// and whether that is so.
//
// A program that makes quads gives a sequence of them to [Builder.AddQuads]; documents in any
// syntax go to [Builder.AddInput]. The bytes depend on the set of quads and the options alone.
// What was written is described by [Built], whose [Pin] says what the file must be: a manifest
// holds one for each of its segments, so that other bytes are an error and never fewer rows.
//
// A segment is asked by a database: rete.Open for SPARQL and engine.Open for patterns take the
// name of one, and engine.DB.Add adds it to a graph.
//
// A Segment may be used concurrently; a Builder belongs to one goroutine, except where its
// comments say otherwise.
package segment
