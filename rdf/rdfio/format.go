// Package rdfio joins the RDF syntaxes: it tells them apart by file name or by
// a word of the user, unpacks compressed input, and opens readers and writers.
//
// A [Format] is a syntax. [Open] makes an [rdf.Reader] of a stream, [OpenFile] one of a file,
// and [NewWriter] an [rdf.Writer]; [Detect] tells the syntax alone.
package rdfio

import (
	"fmt"
	"path"
	"strings"
)

// Format is an RDF syntax.
type Format uint8

// The syntaxes. The zero Format is none: [Open] then goes by the name.
const (
	Unknown Format = iota
	NTriples
	NQuads
	Turtle
	TriG
	RDFXML
	JSONLD // can be written, not read
)

// formats holds what is known about each syntax, in the order of preference.
var formats = []struct {
	format Format
	name   string   // as in flags and messages
	more   []string // other words for it in flags
	exts   []string // file name extensions, the usual one first
	media  string
	graphs bool
}{
	{NTriples, "ntriples", []string{"n-triples"}, []string{"nt"}, "application/n-triples", false},
	{NQuads, "nquads", []string{"n-quads"}, []string{"nq"}, "application/n-quads", true},
	{Turtle, "turtle", nil, []string{"ttl"}, "text/turtle", false},
	{TriG, "trig", nil, []string{"trig"}, "application/trig", true},
	{RDFXML, "rdfxml", []string{"rdf/xml", "rdf-xml"}, []string{"rdf", "owl", "rdfs", "xml"}, "application/rdf+xml", false},
	{JSONLD, "jsonld", []string{"json-ld"}, []string{"jsonld"}, "application/ld+json", true},
}

// String returns the word for f that [ParseFormat] takes.
func (f Format) String() string {
	for _, e := range formats {
		if e.format == f {
			return e.name
		}
	}
	return "unknown"
}

// MediaType returns the media type of f without parameters, "" for Unknown.
func (f Format) MediaType() string {
	for _, e := range formats {
		if e.format == f {
			return e.media
		}
	}
	return ""
}

// HasGraphs reports whether f can hold named graphs.
func (f Format) HasGraphs() bool {
	for _, e := range formats {
		if e.format == f {
			return e.graphs
		}
	}
	return false
}

// FormatOf returns the syntax that a file name or the path of a URL points to,
// Unknown if it tells none. An extension of a compressed file is left out of
// account: data.nq.gz is N-Quads.
func FormatOf(name string) Format {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".gz", ".zst", ".bz2":
		name = name[:len(name)-len(ext)]
		ext = strings.ToLower(path.Ext(name))
	}
	if ext == "" {
		return Unknown
	}
	for _, e := range formats {
		for _, x := range e.exts {
			if ext[1:] == x {
				return e.format
			}
		}
	}
	return Unknown
}

// Extensions returns the usual extension of each syntax, with its dot.
func Extensions() []string {
	var all []string
	for _, e := range formats {
		all = append(all, "."+e.exts[0])
	}
	return all
}

// FileExtensions returns all extensions that tell a syntax, without their dots.
func FileExtensions() []string {
	var all []string
	for _, e := range formats {
		all = append(all, e.exts...)
	}
	return all
}

// ParseFormat returns the syntax that a word means: its name, a file name
// extension, or a media type (parameters are ignored). Capitals do not matter.
func ParseFormat(word string) (Format, error) {
	w, _, _ := strings.Cut(strings.ToLower(word), ";")
	w = strings.TrimSpace(w)
	var known []string
	for _, e := range formats {
		for _, x := range append(append([]string{e.name, e.media}, e.more...), e.exts...) {
			if x == w {
				return e.format, nil
			}
		}
		known = append(known, e.name)
	}
	return Unknown, fmt.Errorf("unknown RDF format %q: one of %s", word, strings.Join(known, ", "))
}

// Names returns the words for the syntaxes, for help texts and completions. The
// last one, jsonld, can be written only.
func Names() []string {
	var names []string
	for _, e := range formats {
		names = append(names, e.name)
	}
	return names
}
