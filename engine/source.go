package engine

import (
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
)

// Source is where quads come from: a segment, or an RDF document from which one is built,
// or several of both.
//
// As it is declared:
//
//	type Source struct {
//	    // Name is a path, relative to the working directory, or a URL. A name that
//	    // ends with .rete is a segment, which is named by the manifest as it lies
//	    // there; anything else is a document. With Reader it is only what errors
//	    // call the document.
//	    Name string
//	    // Reader gives the document, if it is not to be opened by its name.
//	    Reader io.Reader
//	    // Quads gives the quads one by one; labels of blank nodes are taken as they
//	    // are, and a quad that does not pass [rdf.RawQuad.Check] is an error. Nothing
//	    // else is then looked at.
//	    Quads rdf.Reader
//	    // Format is the syntax of the document; unknown goes by the name, then by the content.
//	    Format rdfio.Format
//	    // Base resolves relative references of the document.
//	    Base string
//	    // Graph takes the quads of the document, which may then have no named graphs; zero: they
//	    // are where the document says.
//	    Graph rdf.Term
//	    // Lenient reads documents as [rdf.Options] says.
//	    Lenient bool
//	    // Parts are several sources whose quads come into one new segment, together and
//	    // each once. The other fields then say nothing, and parts have no parts.
//	    Parts []Source
//	}
type Source = segments.Source

// Step is one entry to append to the log: the quads of Dels go, then those of Adds come.
// One may be nil.
//
// As it is declared:
//
//	type Step struct {
//	    Adds, Dels *Source
//	}
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
