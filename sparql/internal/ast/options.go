package ast

// Options are the circumstances of parsing. The zero value and a nil pointer
// stand for the defaults.
type Options struct {
	// Base is the base IRI before any BASE of the text; an absolute IRI.
	// Without one, a relative IRI before BASE is an error.
	Base string
	// Prefixes are namespaces for prefixes that the text uses and does not
	// declare. A PREFIX in the text wins.
	Prefixes map[string]string
	// Strict turns Prefixes off, as a text must declare what it uses, and LATERAL, which is no
	// part of SPARQL 1.1.
	Strict bool
	// BlankNodeIDs makes <_:label> name the stored blank node of that label,
	// where a subject, an object or a graph may stand. Labels are those that
	// results carry.
	BlankNodeIDs bool
	// MaxBytes bounds the text; 0 stands for 256 MiB.
	MaxBytes int
	// MaxDepth bounds how deep groups, expressions, paths, collections and
	// triple terms nest; 0 stands for 1,000.
	MaxDepth int
}

const (
	defaultMaxBytes = 256 << 20
	defaultMaxDepth = 1000
)

// Defaults returns options with what they leave open.
func Defaults(o *Options) Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = defaultMaxBytes
	}
	// Spans are 32 bits wide.
	c.MaxBytes = min(c.MaxBytes, 1<<31-2)
	if c.MaxDepth <= 0 {
		c.MaxDepth = defaultMaxDepth
	}
	if c.Strict {
		c.Prefixes = nil
	}
	return c
}

// WellKnownPrefixes returns the namespaces that command lines fill in where a
// query leaves their usual prefixes undeclared, in a map of the caller's own.
func WellKnownPrefixes() map[string]string {
	return map[string]string{
		"dc":      "http://purl.org/dc/elements/1.1/",
		"dcterms": "http://purl.org/dc/terms/",
		"foaf":    "http://xmlns.com/foaf/0.1/",
		"geo":     "http://www.opengis.net/ont/geosparql#",
		"owl":     "http://www.w3.org/2002/07/owl#",
		"prov":    "http://www.w3.org/ns/prov#",
		"rdf":     "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
		"rdfs":    "http://www.w3.org/2000/01/rdf-schema#",
		"schema":  "http://schema.org/",
		"sh":      "http://www.w3.org/ns/shacl#",
		"skos":    "http://www.w3.org/2004/02/skos/core#",
		"void":    "http://rdfs.org/ns/void#",
		"xsd":     "http://www.w3.org/2001/XMLSchema#",
	}
}
