package manifest

import "github.com/rete-go/rete/internal/manifest"

var (
	// ErrVersion: the manifest is of a version that this program does not know.
	ErrVersion = manifest.ErrVersion
	// ErrNotAsWritten: the manifest was changed since it was written: by hand, by a program
	// that formats JSON, or by damage.
	ErrNotAsWritten = manifest.ErrNotAsWritten
	// ErrNoGeneration: the manifest of that generation is not kept any more, or never was.
	ErrNoGeneration = manifest.ErrNoGeneration
	// ErrConflict: nothing was committed, because others commit to the same manifest or it is
	// not in the state that the caller asked for.
	ErrConflict = manifest.ErrConflict
	// ErrUnknownOutcome: the commit may have happened. The error carries the commit id, which
	// the manifest's recent commits show if it did.
	ErrUnknownOutcome = manifest.ErrUnknownOutcome
)
