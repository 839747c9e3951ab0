package university

import (
	"io"
	"slices"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

// Set returns the materialised data set with about the given number of statements, and the
// queries.
func Set(statements int) *workload.Set { return set("university", statements, Queries, true) }

// UnionSet returns the data set that is not materialised, and the queries that ask for the unions
// instead.
func UnionSet(statements int) *workload.Set {
	queries := slices.Clone(Queries)
	for i, q := range queries {
		for _, u := range Unions {
			if u.Name == q.Name {
				queries[i] = u
			}
		}
	}
	return set("university-unions", statements, queries, false)
}

func set(name string, statements int, queries []workload.Query, materialised bool) *workload.Set {
	n := universitiesFor(statements, materialised)
	return &workload.Set{
		Name:     name,
		Prologue: prologue,
		Queries:  queries,
		Write: func(w io.Writer) (int, error) {
			stats, err := Generate(w, Options{Universities: n, Materialised: materialised})
			return stats.Statements, err
		},
		Draw: func(s *gen.Stream, kind string) string {
			u := "<" + Prefix + universityName(s.Below(n))
			dept := u + "/d" + strconv.Itoa(s.Below(15))
			switch kind {
			case "university":
				return u + ">"
			case "course":
				return dept + "/GraduateCourse" + strconv.Itoa(s.Below(30)) + ">"
			case "assistant":
				return dept + "/AssistantProfessor" + strconv.Itoa(s.Below(8)) + ">"
			case "associate":
				return dept + "/AssociateProfessor" + strconv.Itoa(s.Below(10)) + ">"
			}
			return dept + ">"
		},
	}
}

// prologue declares the prefix of the queries.
const prologue = "PREFIX : <" + Prefix + ">\n"

// constants of the fixed forms
const (
	uni       = "{{university <" + Prefix + "u0>}}"
	dept      = "{{department <" + Prefix + "u0/d0>}}"
	course    = "{{course <" + Prefix + "u0/d0/GraduateCourse0>}}"
	assistant = "{{assistant <" + Prefix + "u0/d0/AssistantProfessor0>}}"
	associate = "{{associate <" + Prefix + "u0/d0/AssociateProfessor0>}}"
)

// Queries are the 14 queries over materialised data.
var Queries = []workload.Query{
	{Name: "Q1", Text: "SELECT * { ?x a :GraduateStudent ; :takesCourse " + course + " }"},
	{Name: "Q2", Text: "SELECT * { ?x a :GraduateStudent ; :memberOf ?z ; :undergraduateDegreeFrom ?y . ?z a :Department ; :subOrganizationOf ?y . ?y a :University }"},
	{Name: "Q3", Text: "SELECT * { ?x a :Publication ; :publicationAuthor " + assistant + " }"},
	{Name: "Q4", Text: "SELECT * { ?x a :Professor ; :worksFor " + dept + " ; :name ?n ; :emailAddress ?e ; :telephone ?t }"},
	{Name: "Q5", Text: "SELECT * { ?x a :Person ; :memberOf " + dept + " }"},
	{Name: "Q6", Text: "SELECT * { ?x a :Student }"},
	{Name: "Q7", Text: "SELECT * { ?x a :Student ; :takesCourse ?y . ?y a :Course . " + associate + " :teacherOf ?y }"},
	{Name: "Q8", Text: "SELECT * { ?x a :Student ; :memberOf ?y ; :emailAddress ?e . ?y a :Department ; :subOrganizationOf " + uni + " }"},
	{Name: "Q9", Text: "SELECT * { ?x a :Student ; :advisor ?y ; :takesCourse ?z . ?y a :Faculty ; :teacherOf ?z . ?z a :Course }"},
	{Name: "Q10", Text: "SELECT * { ?x a :Student ; :takesCourse " + course + " }"},
	{Name: "Q11", Text: "SELECT * { ?x a :ResearchGroup ; :subOrganizationOf " + uni + " }"},
	{Name: "Q12", Text: "SELECT * { ?x a :Professor ; :headOf ?y . ?y a :Department ; :subOrganizationOf " + uni + " }"},
	{Name: "Q13", Text: "SELECT * { ?x a :Person ; :degreeFrom " + uni + " }"},
	{Name: "Q14", Text: "SELECT * { ?x a :UndergraduateStudent }"},
}

const (
	professorClass = "VALUES ?k { :FullProfessor :AssociateProfessor :AssistantProfessor } "
	facultyClass   = "VALUES ?k { :FullProfessor :AssociateProfessor :AssistantProfessor :Lecturer } "
	studentClass   = "VALUES ?t { :UndergraduateStudent :GraduateStudent } "
	personClass    = "VALUES ?k { :FullProfessor :AssociateProfessor :AssistantProfessor :Lecturer :UndergraduateStudent :GraduateStudent } "
	courseClass    = "VALUES ?c { :Course :GraduateCourse } "
)

// Unions are the queries of the same answers over data that are not materialised, for
// those that need it: classes as unions, properties and their closure as paths.
var Unions = []workload.Query{
	{Name: "Q4", Text: "SELECT ?x ?n ?e ?t { " + professorClass + "?x a ?k ; (:worksFor|:headOf) " + dept + " ; :name ?n ; :emailAddress ?e ; :telephone ?t }"},
	{Name: "Q5", Text: "SELECT ?x { " + personClass + "?x a ?k ; (:memberOf|:worksFor|:headOf) " + dept + " }"},
	{Name: "Q6", Text: "SELECT ?x { " + studentClass + "?x a ?t }"},
	{Name: "Q7", Text: "SELECT ?x ?y { " + studentClass + "?x a ?t ; :takesCourse ?y . " + courseClass + "?y a ?c . " + associate + " :teacherOf ?y }"},
	{Name: "Q8", Text: "SELECT ?x ?y ?e { " + studentClass + "?x a ?t ; :memberOf ?y ; :emailAddress ?e . ?y a :Department ; :subOrganizationOf " + uni + " }"},
	{Name: "Q9", Text: "SELECT ?x ?y ?z { " + studentClass + "?x a ?t ; :advisor ?y ; :takesCourse ?z . " + facultyClass + "?y a ?k ; :teacherOf ?z . " + courseClass + "?z a ?c }"},
	{Name: "Q10", Text: "SELECT ?x { " + studentClass + "?x a ?t ; :takesCourse " + course + " }"},
	{Name: "Q11", Text: "SELECT * { ?x a :ResearchGroup ; :subOrganizationOf+ " + uni + " }"},
	{Name: "Q12", Text: "SELECT ?x ?y { " + professorClass + "?x a ?k ; :headOf ?y . ?y a :Department ; :subOrganizationOf " + uni + " }"},
	{Name: "Q13", Text: "SELECT DISTINCT ?x { " + personClass + "?x a ?k ; (:undergraduateDegreeFrom|:mastersDegreeFrom|:doctoralDegreeFrom) " + uni + " }"},
}
