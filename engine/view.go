package engine

import (
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/segment"
)

// The fold of a log as one graph, for programs that make views of their own.
type (
	// View is the fold of a log of entries as one graph, lazily: making one reads nothing,
	// and a scan reads what its pattern needs. It is a [dataset.Dataset]. That of a snapshot
	// or a transaction ends with it: then its methods fail with [ErrClosed].
	View = view.View
	// ViewOptions bound what a view keeps in memory.
	ViewOptions = view.ViewOptions
	// Entry is one entry of a log: first its dels go, then its adds come.
	Entry = layers.Entry
	// Layer is one immutable set of quads with its own dictionary.
	Layer = layers.Layer
)

// NewView returns the fold of a log, oldest entry first. Layers must outlive it.
func NewView(log []Entry, opt *ViewOptions) *View { return view.NewView(log, opt) }

// SegmentLayer returns a segment as a layer.
func SegmentLayer(s *segment.Segment) Layer { return layers.FromSegment(s) }
