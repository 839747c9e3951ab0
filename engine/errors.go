package engine

import (
	"errors"
	"fmt"

	"github.com/rete-go/rete/engine/internal/folder"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// The outcomes of a commit that is not simply done; an error that matches none of them is
// a definite failure: nothing was committed. See package manifest.
var (
	ErrConflict       = manifest.ErrConflict
	ErrUnknownOutcome = manifest.ErrUnknownOutcome
)

// ErrClosed matches the error of every use after the end: of a database, a snapshot, a
// cursor or a trie that was closed, of a transaction whose function has returned, and of
// the views that these gave. It is rete.ErrClosed.
var ErrClosed = closed.Err

var errSnapshotClosed = fmt.Errorf("engine: the snapshot: %w", ErrClosed)

// ErrNoGeneration: the manifest of that generation is not kept any more, or never was.
var ErrNoGeneration = manifest.ErrNoGeneration

// ErrNoGraph: the graph has no visible quad, so it does not exist.
var ErrNoGraph = view.ErrNoGraph

// ErrDamaged matches every error that reports bytes which are not what they must
// be: a segment or a manifest that is truncated, changed, replaced or foreign.
var ErrDamaged = damage.Err

// What can be wrong with a segment besides damage in it.
var (
	// ErrExpired: a segment of the generation that was asked for is gone, and the current
	// generation does not name it: it was collected. [DB.Refresh] shows the current one.
	ErrExpired = segments.ErrExpired
	// ErrMissingSegment: a segment that the current generation names is not there. Nothing
	// of rete removes such a file; it must be put back.
	ErrMissingSegment = segments.ErrMissing
	// ErrWrongSegment: what has the name of a segment is not the one that the manifest
	// pins. It matches the damage sentinel too.
	ErrWrongSegment = segment.ErrWrong
)

// ErrInUse: a file belongs to a graph, so that nothing else may be written to it.
var ErrInUse = folder.ErrInUse

// ErrTxEnded: a transaction was used after the function that got it had returned. It matches
// [ErrClosed].
var ErrTxEnded = fmt.Errorf("engine: the transaction has ended: %w", ErrClosed)

// ErrNothingToSeal: the journal has no changes, so there is no new generation.
var ErrNothingToSeal = errors.New("nothing to seal")

// ErrCompact: there is nothing to compact; the log is one adds segment already,
// as these options would make it.
var ErrCompact = errors.New("nothing to compact")
