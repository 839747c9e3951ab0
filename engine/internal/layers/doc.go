// Package layers is the kinds of layers that a view is made of: immutable sets of quads,
// each with a dictionary of its own. [Segment] is a file, [Respelled] one whose terms are
// not spelled canonically, [Memory] a sorted run in memory, and [JournalTerms] the terms
// of the journal, without rows.
package layers
