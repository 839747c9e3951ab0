// Package segments is the segments of a manifest as files. A [Store] opens them as they
// are pinned, tells what it means that one is not there, and checks them whole. A [Maker]
// makes those of a commit, from documents, quads or segments that exist, next to the
// manifest, and removes them if the commit does not happen.
package segments
