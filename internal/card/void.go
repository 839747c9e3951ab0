package card

import (
	"strconv"
	"strings"
	"time"

	"github.com/rete-go/rete/rdf"
)

// Namespaces of descriptions in RDF.
const (
	VoID = "http://rdfs.org/ns/void#"
	DCT  = "http://purl.org/dc/terms/"
)

// Described returns what is said of the dataset as properties of a subject.
func (c *Card) Described(subject rdf.Term) (out []rdf.Quad) {
	add := func(name string, value rdf.Term) {
		if value != rdf.String("") {
			out = append(out, rdf.Quad{S: subject, P: rdf.IRI(DCT + name), O: value})
		}
	}
	add("title", rdf.String(c.Title))
	add("description", rdf.String(c.Description))
	if license := named(c.License); license.Kind() == rdf.KindIRI {
		add("license", license)
	} else {
		add("rights", license)
	}
	add("source", named(c.Source))
	for _, creator := range c.Creators {
		add("creator", named(creator))
	}
	if _, err := time.Parse(time.DateOnly, c.Published); err == nil {
		add("issued", rdf.Typed(c.Published, rdf.XSD+"date"))
	} else {
		add("issued", rdf.String(c.Published))
	}
	return out
}

// named is an IRI, or else a text.
func named(value string) rdf.Term {
	if t := rdf.IRI(value); strings.Contains(value, ":") && t.Valid() {
		return t
	}
	return rdf.String(value)
}

// Counts returns how much is in the default graph, as properties of a subject, in the Vocabulary of
// Interlinked Datasets.
func (c *Card) Counts(subject rdf.Term) []rdf.Quad {
	out := []rdf.Quad{count(subject, "triples", c.Triples), count(subject, "properties", uint64(c.Predicates))}
	if !c.MoreClasses {
		out = append(out, count(subject, "classes", uint64(c.Classes)))
	}
	return out
}

// Partitions returns the namespaces, classes and predicates of the default graph, the most frequent ones, as
// properties of a subject.
func (c *Card) Partitions(subject rdf.Term) (out []rdf.Quad) {
	for _, ns := range c.Vocabulary[:min(len(c.Vocabulary), listed)] {
		if t := rdf.IRI(ns.IRI); t.Valid() {
			out = append(out, rdf.Quad{S: subject, P: rdf.IRI(VoID + "vocabulary"), O: t})
		}
	}
	var parts []rdf.Quad
	part := func(label, partition, of, surface, counted string, n uint64) {
		if iri, ok := iriOf(surface); ok {
			node := rdf.Blank(label)
			out = append(out, rdf.Quad{S: subject, P: rdf.IRI(VoID + partition), O: node})
			parts = append(parts, rdf.Quad{S: node, P: rdf.IRI(VoID + of), O: rdf.IRI(iri)}, count(node, counted, n))
		}
	}
	for i, k := range c.classes {
		part("c"+strconv.Itoa(i), "classPartition", "class", k.Class, "entities", k.Count)
	}
	for i, p := range c.predicates[:min(len(c.predicates), listed)] {
		part("p"+strconv.Itoa(i), "propertyPartition", "property", p.Name, "triples", p.Triples)
	}
	return append(out, parts...)
}

func count(subject rdf.Term, property string, n uint64) rdf.Quad {
	return rdf.Quad{S: subject, P: rdf.IRI(VoID + property), O: rdf.Integer(int64(n))}
}
