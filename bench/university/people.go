package university

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/bench/gen"
)

// rank is a class of the faculty: how many of it a department has, and the
// publications of each.
type rank struct {
	class             string
	least, most       int
	papers, maxPapers int
	advises           bool
}

var ranks = []rank{
	{"FullProfessor", 7, 10, 15, 20, true},
	{"AssociateProfessor", 10, 14, 10, 18, true},
	{"AssistantProfessor", 8, 11, 5, 10, true},
	{"Lecturer", 5, 7, 0, 5, false},
}

// person writes what is said of everybody.
func (g *generator) person(name string, s *gen.Stream) {
	short := name[strings.LastIndexByte(name, '/')+1:]
	g.Plain("name", short)
	g.Plain("emailAddress", short+"@"+strings.ReplaceAll(name[:len(name)-len(short)], "/", ".")+"example")
	g.Plain("telephone", "+1-"+strconv.Itoa(100+s.Below(900))+"-"+strconv.Itoa(1000+s.Below(9000)))
}

func (g *generator) degree(property string, s *gen.Stream) {
	g.relate(property, universityName(s.Below(degrees)))
}

// faculty writes the k-th member of the faculty, the j-th of a rank. The first full
// professor is the head.
func (g *generator) faculty(d *department, r rank, k, j int) {
	s := g.stream(classFaculty, d.number, k)
	name := d.name + "/" + r.class + strconv.Itoa(j)
	g.Subject(name)
	g.class(r.class)
	g.person(name, &s)
	if k == 0 {
		g.relate("headOf", d.name)
	} else {
		g.relate("worksFor", d.name)
	}
	for range 1 + s.Below(2) {
		g.Link("teacherOf", d.name+"/Course"+strconv.Itoa(d.courses))
		d.courses++
	}
	for range 1 + s.Below(2) {
		g.Link("teacherOf", d.name+"/GraduateCourse"+strconv.Itoa(d.grads))
		d.grads++
	}
	g.degree("undergraduateDegreeFrom", &s)
	g.degree("mastersDegreeFrom", &s)
	g.degree("doctoralDegreeFrom", &s)
	g.Plain("researchInterest", "Research"+strconv.Itoa(s.Below(30)))
	papers := r.papers + s.Below(r.maxPapers-r.papers+1)
	for p := range papers {
		g.Subject(publication(name, p))
		g.class("Publication")
		g.Plain("name", "Publication"+strconv.Itoa(p))
		g.Link("publicationAuthor", name)
	}
	if r.advises {
		d.professors = append(d.professors, &professor{name, papers})
	}
}

func publication(author string, p int) string { return author + "/Publication" + strconv.Itoa(p) }

// students writes the students of a department, by the size of its faculty.
func (g *generator) students(d *department, s *gen.Stream, faculty int) {
	under := faculty * (8 + s.Below(7))
	for i := range under {
		g.undergraduate(d, i)
	}
	graduates := faculty * (3 + s.Below(2))
	// shares in 60ths: a fifth to a quarter, and a quarter to a third
	teaching := graduates * (12 + s.Below(4)) / 60
	research := graduates * (15 + s.Below(6)) / 60
	for i := range graduates {
		g.graduate(d, i, i < teaching, i >= teaching && i < teaching+research)
	}
}

func (g *generator) undergraduate(d *department, i int) {
	s := g.stream(classStudent, d.number, 2*i)
	name := d.name + "/UndergraduateStudent" + strconv.Itoa(i)
	g.Subject(name)
	g.class("UndergraduateStudent")
	g.person(name, &s)
	g.relate("memberOf", d.name)
	g.take(&s, d.name+"/Course", d.courses, 2+s.Below(3))
	if s.Chance(1, 5) {
		g.Link("advisor", d.professors[s.Below(len(d.professors))].name)
	}
}

func (g *generator) graduate(d *department, i int, teaches, researches bool) {
	s := g.stream(classStudent, d.number, 2*i+1)
	name := d.name + "/GraduateStudent" + strconv.Itoa(i)
	g.Subject(name)
	g.class("GraduateStudent")
	g.person(name, &s)
	g.relate("memberOf", d.name)
	g.degree("undergraduateDegreeFrom", &s)
	g.take(&s, d.name+"/GraduateCourse", d.grads, 1+s.Below(3))
	advisor := d.professors[s.Below(len(d.professors))]
	g.Link("advisor", advisor.name)
	if teaches {
		g.class("TeachingAssistant")
		g.Link("teachingAssistantOf", d.name+"/Course"+strconv.Itoa(i%d.courses))
	}
	if researches {
		g.class("ResearchAssistant")
	}
	n := min(s.Below(6), advisor.publications)
	first := s.Below(advisor.publications)
	for p := range n {
		g.Subject(publication(advisor.name, (first+p)%advisor.publications))
		g.Link("publicationAuthor", name)
	}
}

// take writes n distinct courses.
func (g *generator) take(s *gen.Stream, course string, of, n int) {
	first, step := s.Below(of), 1+s.Below(of/n)
	for k := range n {
		g.Link("takesCourse", course+strconv.Itoa((first+k*step)%of))
	}
}
