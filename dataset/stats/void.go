package stats

import (
	"io"
	"strconv"

	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

// Namespaces of the description.
const (
	voidNS = "http://rdfs.org/ns/void#"
	extNS  = "http://ldf.fi/void-ext#"
)

// WriteVoID writes the statistics in Turtle, as the Vocabulary of Interlinked Datasets has them,
// and its extension for datatypes and languages. iri names the dataset; empty stands for a blank node.
// Named graphs are subsets. What lists leave out is not in the description.
func (s *Stats) WriteVoID(w io.Writer, iri string) error {
	v := &void{w: turtle.NewWriter(w, map[string]string{"void": voidNS, "void-ext": extNS, "xsd": rdf.XSD})}
	set := rdf.Blank("dataset")
	if iri != "" {
		set = rdf.IRI(iri)
	}
	v.triple(set, rdf.RDF+"type", rdf.IRI(voidNS+"Dataset"))
	v.count(set, voidNS+"triples", s.Quads)
	v.count(set, voidNS+"properties", s.Predicates.Distinct)
	v.count(set, voidNS+"classes", s.Classes.Distinct)
	if s.Subjects != nil {
		v.count(set, voidNS+"distinctSubjects", s.Subjects.Distinct)
	}
	v.parts(set, voidNS+"classPartition", voidNS+"class", voidNS+"entities", "c", s.Classes)
	v.parts(set, voidNS+"propertyPartition", voidNS+"property", voidNS+"triples", "p", s.Predicates)
	if l := s.Literals; l != nil {
		v.count(set, extNS+"distinctLiterals", l.Distinct)
		v.parts(set, extNS+"datatypePartition", extNS+"datatype", voidNS+"triples", "d", l.Datatypes)
		v.parts(set, extNS+"languagePartition", extNS+"language", voidNS+"triples", "l", l.Languages)
	}
	for _, g := range s.Graphs.Entries {
		v.triple(set, voidNS+"subset", g.Term)
	}
	for _, g := range s.Graphs.Entries {
		v.triple(g.Term, rdf.RDF+"type", rdf.IRI(voidNS+"Dataset"))
		v.count(g.Term, voidNS+"triples", g.Quads)
	}
	if v.err != nil {
		return v.err
	}
	return v.w.Close()
}

// void writes triples, until an error.
type void struct {
	w   *turtle.Writer
	err error
}

func (v *void) triple(s rdf.Term, p string, o rdf.Term) {
	if v.err == nil {
		v.err = v.w.WriteQuad(&rdf.RawQuad{S: []byte(s.Surface()), P: []byte(rdf.IRI(p).Surface()), O: []byte(o.Surface())})
	}
}

func (v *void) count(s rdf.Term, p string, n uint64) { v.triple(s, p, rdf.Integer(int64(n))) }

// parts describes the parts of a dataset that a list tells, as blank nodes whose labels begin
// with a letter.
func (v *void) parts(set rdf.Term, partition, term, count, letter string, l List) {
	for i, e := range l.Entries {
		part := rdf.Blank(letter + strconv.Itoa(i))
		v.triple(set, partition, part)
		v.triple(part, term, e.Term)
		v.count(part, count, e.Quads)
	}
}
