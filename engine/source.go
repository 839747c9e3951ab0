package engine

import (
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/segment"
)

// Source is where quads come from: a segment, or an RDF document from which one is built,
// or several of both.
type Source = segments.Source

// Step is one entry to append to the log: the quads of Dels go, then those of Adds come.
// One may be nil.
type Step = segments.Step

// newMaker returns a maker of the segments of a commit on top of a manifest.
func (db *DB) newMaker(base *manifest.Manifest, build segment.BuildOptions, warn func(string)) (*segments.Maker, error) {
	inputs, err := blob.NewMux("", db.opt.mux()) // relative to the working directory
	if err != nil {
		return nil, err
	}
	build.NoPrefixes = true // the manifest has them, and equal graphs have equal segments
	return &segments.Maker{Store: db.store, FS: db.opt.FS, Name: db.name, Inputs: inputs, Base: base, Build: build, Warn: warn, Logger: db.opt.Logger, Tracer: db.opt.Tracer}, nil
}
