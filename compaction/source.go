package compaction

import (
	"context"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// source is one layer: an immutable set of quads with its own dictionary. Ids
// are those of the format: section-local terms count from 1, subjects and
// objects share the first Shared numbers, graph 0 is the default graph and graph
// i the name i-1.
//
// Its methods may be called concurrently; what they return belongs to one
// goroutine.
type source interface {
	// Name names the source in errors.
	Name() string
	// Counts returns the sizes of the sections and the number of graphs.
	Counts() segment.Counts
	// Canonical reports whether all terms are known to be spelled canonically.
	// If not, each is looked at, and goes by its canonical spelling.
	Canonical() bool
	// HasOrder reports whether the rows can be read in an order. SPO, POS and OSP
	// always can.
	HasOrder(o tile.Order) bool
	// GraphNames returns the names of the named graphs.
	GraphNames(ctx context.Context) ([][]byte, error)
	// Terms returns the terms of a section in order.
	Terms(sec segment.Section) termScan
	// Rows returns the rows of a graph in an order.
	Rows(ctx context.Context, graph int, o tile.Order) (rowScan, error)
}

// termScan delivers the terms of a section, io.EOF after the last. A term is valid
// until the next call.
type termScan interface {
	Next(ctx context.Context) ([]byte, error)
}

// rowScan delivers rows as stretches of tiles, io.EOF after the last.
type rowScan interface {
	Next(ctx context.Context) (segment.Run, error)
}

// opened returns the sources of a run: of each entry that of its dels, then that of its adds, nil
// where there is none.
func opened(run []Entry) [][2]source {
	out := make([][2]source, len(run))
	for i, e := range run {
		for k, f := range [...]*segment.File{dels: e.Dels, adds: e.Adds} {
			if f != nil {
				out[i][k] = segmentSource{segment.Of(f)}
			}
		}
	}
	return out
}

// segmentSource is a segment as a source.
type segmentSource struct{ *segment.Segment }

// Terms implements [source].
func (s segmentSource) Terms(sec segment.Section) termScan { return s.AllTerms(sec) }

// Rows implements [source].
func (s segmentSource) Rows(ctx context.Context, graph int, o tile.Order) (rowScan, error) {
	return s.Scan(ctx, graph, o)
}
