package manifest

import (
	"errors"
)

// ErrVersion: the manifest is of a version that this program does not know.
var ErrVersion = errors.New("unknown manifest version")

// ErrNotAsWritten: the manifest was changed since it was written: by hand, by a program
// that formats JSON, or by damage. [CheckOptions.Accept] takes it over.
var ErrNotAsWritten = errors.New("manifest is not as it was written")

// ErrNoGeneration: the manifest of that generation is not kept any more, or
// never was.
var ErrNoGeneration = errors.New("no such generation")

// The outcomes of a commit that is not simply done (docs/manifest.md, "What happens at a commit"). An error
// that matches none of them is a definite failure: nothing was committed.
var (
	// ErrConflict: nothing was committed, because others commit to the same
	// manifest or it is not in the state that the caller asked for.
	ErrConflict = errors.New("conflict with another commit")
	// ErrUnknownOutcome: the commit may have happened. Nothing that it names
	// may be deleted; the error carries the commit id, which the manifest's
	// recent commits show if it did.
	ErrUnknownOutcome = errors.New("commit may or may not have happened")
	// ErrTwoHistories: an archived generation is not the one that was read.
	ErrTwoHistories = errors.New("two histories in one place")
)
