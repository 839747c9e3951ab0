// Package social generates the social-network data set, the default load of the
// benchmarks: persons who know each other inside communities, the cities they
// live in, the organisations they work for (a forest under :partOf), and their
// posts with replies.
//
// Persons are numbered; the statements of person i are the same at every scale.
// Output is N-Triples, or N-Quads with [Options.Graphs], with LF line ends.
package social

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

// Prefix is the namespace of every IRI that the generator makes.
const Prefix = "http://social.example/"

// communitySize is the number of persons of one community.
const communitySize = 100

// Options choose a data set. The zero value of Persons makes one community.
type Options struct {
	Persons int    // rounded up to whole communities
	Seed    uint64 // same seed, same bytes
	Graphs  bool   // posts go into the named graph :c{k} of their community
}

// PersonsFor returns the number of persons whose data set has about the wanted
// number of statements.
func PersonsFor(statements int) int {
	return max(1, statements/statementsPerPerson)
}

// statementsPerPerson was measured at scales 10,000 and 100,000.
const statementsPerPerson = 30

// Stats describe what was written.
type Stats struct {
	Persons    int
	Statements int
	Bytes      int64
	SHA256     string // of the output, lower-case hex
}

// classes of random streams
const (
	classCity = iota + 1
	classOrg
	classPerson
	classPost
)

// Generate writes the whole data set to w.
func Generate(w io.Writer, opt Options) (Stats, error) {
	n := max(opt.Persons, 1)
	n = (n + communitySize - 1) / communitySize * communitySize
	g := &writer{w: w, sum: sha256.New(), opt: opt, buf: make([]byte, 0, 1<<17)}
	for i := range Cities(n) {
		g.city(i)
	}
	for i := range Orgs(n) {
		g.org(i)
	}
	for i := range n {
		g.person(i)
		if err := g.flush(1 << 16); err != nil {
			return Stats{}, err
		}
	}
	if err := g.flush(0); err != nil {
		return Stats{}, err
	}
	return Stats{n, g.statements, g.bytes, hex.EncodeToString(g.sum.Sum(nil))}, nil
}

// Cities returns the number of cities among the first n persons.
func Cities(n int) int { return n/500 + 10 }

// Orgs returns the number of organisations among the first n persons.
func Orgs(n int) int { return n/50 + 5 }

type writer struct {
	w          io.Writer
	sum        hash.Hash
	opt        Options
	buf        []byte
	graph      int // community of the open named graph, -1 for the default graph
	statements int
	bytes      int64
}

func (g *writer) flush(limit int) error {
	if len(g.buf) <= limit {
		return nil
	}
	g.sum.Write(g.buf)
	g.bytes += int64(len(g.buf))
	_, err := g.w.Write(g.buf)
	g.buf = g.buf[:0]
	return err
}

func (g *writer) stream(class, instance, property int) gen.Stream {
	return gen.NewStream(g.opt.Seed, uint64(class), uint64(instance), uint64(property))
}

// iri appends <prefix+kind+number>.
func (g *writer) iri(kind string, number int) {
	g.buf = append(g.buf, '<')
	g.buf = append(g.buf, Prefix...)
	g.buf = append(g.buf, kind...)
	g.buf = strconv.AppendInt(g.buf, int64(number), 10)
	g.buf = append(g.buf, '>')
}

// predicate appends a space, a predicate of the namespace, and a space.
func (g *writer) predicate(name string) {
	g.buf = append(g.buf, " <"+Prefix...)
	g.buf = append(g.buf, name...)
	g.buf = append(g.buf, "> "...)
}

func (g *writer) end() {
	if g.graph >= 0 {
		g.buf = append(g.buf, ' ')
		g.iri("c", g.graph)
	}
	g.buf = append(g.buf, " .\n"...)
	g.statements++
}

const xsd = "http://www.w3.org/2001/XMLSchema#"

func (g *writer) typed(datatype string) {
	g.buf = append(g.buf, "\"^^<"+xsd...)
	g.buf = append(g.buf, datatype...)
	g.buf = append(g.buf, '>')
}

func (g *writer) integer(v int, datatype string) {
	g.buf = append(g.buf, '"')
	g.buf = strconv.AppendInt(g.buf, int64(v), 10)
	g.typed(datatype)
}

// hundredths appends v/100 with two digits after the point.
func (g *writer) hundredths(v int) {
	g.buf = strconv.AppendInt(g.buf, int64(v/100), 10)
	g.buf = append(g.buf, '.', byte('0'+v/10%10), byte('0'+v%10))
}

func (g *writer) dateTime(s *gen.Stream, zone bool) {
	g.buf = append(g.buf, '"')
	g.buf = strconv.AppendInt(g.buf, int64(2005+s.Below(20)), 10)
	g.two('-', 1+s.Below(12))
	g.two('-', 1+s.Below(28))
	g.two('T', s.Below(24))
	g.two(':', s.Below(60))
	g.two(':', s.Below(60))
	if zone {
		g.buf = append(g.buf, [...]string{"Z", "+01:00", "-05:00", "+09:30"}[s.Below(4)]...)
	}
	g.typed("dateTime")
}

func (g *writer) two(sep byte, v int) {
	g.buf = append(g.buf, sep, byte('0'+v/10), byte('0'+v%10))
}

func (g *writer) rdfType(class string) {
	g.buf = append(g.buf, " <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <"+Prefix...)
	g.buf = append(g.buf, class...)
	g.buf = append(g.buf, '>')
}
