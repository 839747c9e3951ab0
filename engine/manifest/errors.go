package manifest

import "github.com/rete-go/rete/internal/manifest"

// What is wrong with a document as a whole. The outcomes of commits are errors of package engine:
// engine.ErrConflict, engine.ErrUnknownOutcome and engine.ErrNoGeneration.
var (
	// ErrVersion: the manifest is of a version that this program does not know.
	ErrVersion = manifest.ErrVersion
	// ErrNotAsWritten: the manifest was changed since it was written: by hand, by a program
	// that formats JSON, or by damage.
	ErrNotAsWritten = manifest.ErrNotAsWritten
)
