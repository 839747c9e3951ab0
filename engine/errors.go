package engine

import (
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/damage"
)

// The outcomes of a commit that is not simply done; an error that matches none of them is
// a definite failure: nothing was committed. See package manifest.
var (
	ErrConflict       = manifest.ErrConflict
	ErrUnknownOutcome = manifest.ErrUnknownOutcome
)

// ErrNoGeneration: the manifest of that generation is not kept any more, or never was.
var ErrNoGeneration = manifest.ErrNoGeneration

// ErrDamaged matches every error that reports bytes which are not what they must
// be: a segment or a manifest that is truncated, changed, replaced or foreign.
var ErrDamaged = damage.Err
