// Package university generates a data set of universities in the shape of LUBM: big
// classes, triangles, and classes and properties that lie under others. The data can
// say what follows from that (materialised), so that no reasoning is needed, or leave
// it to the queries, which then ask for unions.
//
// Universities are numbered; the statements of a university are the same at every
// scale. Names and values are our own, so results are not results of LUBM.
package university

import (
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

// Prefix is the namespace of every name that the generator makes.
const Prefix = "http://university.example/"

// Options choose a data set.
type Options struct {
	Universities int    // at least 1
	Seed         uint64 // same seed, same bytes
	Materialised bool   // classes and properties above those of the data are materialised
}

// degrees is the number of universities that degrees are from; most are only names.
const degrees = 1000

// universitiesFor returns the number of universities whose data set has about the
// wanted number of statements.
func universitiesFor(statements int, materialised bool) int {
	each := 134_000
	if materialised {
		each = 171_000
	}
	return max(1, (statements+each/2)/each)
}

// Generate writes the whole data set to w.
func Generate(w io.Writer, opt Options) (gen.Stats, error) {
	g := &generator{Writer: gen.NewWriter(w, Prefix), opt: opt}
	for u := range max(opt.Universities, 1) {
		g.university(u)
		if err := g.Err(); err != nil {
			return gen.Stats{}, err
		}
	}
	return g.Close()
}

// classes of random streams
const (
	classUniversity = iota
	classDepartment
	classFaculty
	classStudent
	classGroup
)

type generator struct {
	*gen.Writer
	opt Options
}

// stream returns the stream of a thing of a department.
func (g *generator) stream(class, dept, i int) gen.Stream {
	return gen.NewStream(g.opt.Seed, uint64(class), uint64(dept), uint64(i))
}

// above are the classes above each class.
var above = map[string][]string{
	"FullProfessor":        {"Professor", "Faculty", "Person"},
	"AssociateProfessor":   {"Professor", "Faculty", "Person"},
	"AssistantProfessor":   {"Professor", "Faculty", "Person"},
	"Lecturer":             {"Faculty", "Person"},
	"UndergraduateStudent": {"Student", "Person"},
	"GraduateStudent":      {"Student", "Person"},
	"GraduateCourse":       {"Course"},
}

// properties above each property
var broader = map[string][]string{
	"headOf":                  {"worksFor", "memberOf"},
	"worksFor":                {"memberOf"},
	"undergraduateDegreeFrom": {"degreeFrom"},
	"mastersDegreeFrom":       {"degreeFrom"},
	"doctoralDegreeFrom":      {"degreeFrom"},
}

func (g *generator) class(name string) {
	g.Type(name)
	if g.opt.Materialised {
		for _, c := range above[name] {
			g.Type(c)
		}
	}
}

func (g *generator) relate(property, to string) {
	g.Link(property, to)
	if g.opt.Materialised {
		for _, p := range broader[property] {
			g.Link(p, to)
		}
	}
}

func universityName(u int) string { return "u" + strconv.Itoa(u) }

func (g *generator) university(u int) {
	name := universityName(u)
	g.Subject(name)
	g.class("University")
	g.Plain("name", "University"+strconv.Itoa(u))
	s := g.stream(classUniversity, u, 0)
	for d := range 15 + s.Below(11) {
		g.department(u, d)
	}
}

// department is what is known of a department while it is written.
type department struct {
	name, university string
	number           int // unique
	professors       []*professor
	courses, grads   int // courses, and courses for graduates
}

// professor is a member of the faculty who may advise.
type professor struct {
	name         string
	publications int
}

// perUniversity is above the number of departments of a university.
const perUniversity = 32

func (g *generator) department(u, i int) {
	d := &department{university: universityName(u), number: u*perUniversity + i}
	d.name = d.university + "/d" + strconv.Itoa(i)
	g.Subject(d.name)
	g.class("Department")
	g.Plain("name", "Department"+strconv.Itoa(i))
	g.Link("subOrganizationOf", d.university)
	s := g.stream(classDepartment, d.number, 0)
	faculty := 0
	for _, rank := range ranks {
		n := rank.least + s.Below(rank.most-rank.least+1)
		for j := range n {
			g.faculty(d, rank, faculty+j, j)
		}
		faculty += n
	}
	g.courses(d)
	g.students(d, &s, faculty)
	for j := range 10 + s.Below(11) {
		g.Subject(d.name + "/ResearchGroup" + strconv.Itoa(j))
		g.class("ResearchGroup")
		g.Link("subOrganizationOf", d.name)
		if g.opt.Materialised {
			g.Link("subOrganizationOf", d.university)
		}
	}
}

// courses names the courses that the faculty teach.
func (g *generator) courses(d *department) {
	for j := range d.courses {
		g.Subject(d.name + "/Course" + strconv.Itoa(j))
		g.class("Course")
		g.Plain("name", "Course"+strconv.Itoa(j))
	}
	for j := range d.grads {
		g.Subject(d.name + "/GraduateCourse" + strconv.Itoa(j))
		g.class("GraduateCourse")
		g.Plain("name", "GraduateCourse"+strconv.Itoa(j))
	}
}
