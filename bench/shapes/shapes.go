// Package shapes holds the query shapes by which engines are compared, over the
// social data set: the 24 operator shapes and the extra ones.
package shapes

import (
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/bench/workload"
)

// Shape is one query shape. Query has the places of [workload.Query] where constants
// are drawn anew for every run.
type Shape struct {
	Name  string
	Query string
}

// Prologue declares the prefixes of the queries.
const Prologue = "PREFIX : <" + social.Prefix + ">\nPREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"

// Text returns the whole query with its default constants.
func (s Shape) Text() string {
	set := workload.Set{Prologue: Prologue}
	return set.Fixed(workload.Query{Name: s.Name, Text: s.Query})
}

// Set returns the social data set with about the given number of statements, and the shapes.
func Set(statements int) *workload.Set {
	persons := social.PersonsFor(statements)
	set := &workload.Set{
		Name:     "social",
		Prologue: Prologue,
		Write: func(w io.Writer) (int, error) {
			stats, err := social.Generate(w, social.Options{Persons: persons})
			return stats.Statements, err
		},
		Draw: func(s *gen.Stream, kind string) string { return draw(s, kind, persons) },
	}
	for _, s := range All {
		set.Queries = append(set.Queries, workload.Query{Name: s.Name, Text: s.Query})
	}
	return set
}

// draw returns a constant of a kind.
func draw(s *gen.Stream, kind string, persons int) string {
	name := func(kind string, n int) string { return ":" + kind + strconv.Itoa(s.Below(n)) }
	switch kind {
	case "person":
		return name("p", persons)
	case "city":
		return name("city", social.Cities(persons))
	case "org":
		return name("org", social.Orgs(persons))
	case "top": // of the forest of organisations
		return name("org", 5)
	case "pattern":
		return "'^" + string("abdefgiklmnoprstuvz"[s.Below(19)]) + ".*" + string("aeiou"[s.Below(5)]) + "'"
	case "letter":
		return "'" + string("fgklmnp"[s.Below(7)]) + "'"
	case "age":
		return strconv.Itoa(25 + s.Below(20))
	case "bound":
		return strconv.Itoa(80 + s.Below(40))
	case "offset":
		return strconv.Itoa(500 + s.Below(1000))
	}
	return ":" + kind // a mistake that the tests see: no row has it
}

// All are the shapes, in the order of their numbers.
var All = []Shape{
	{"01-count", "SELECT (COUNT(*) AS ?n) { ?x :knows ?y }"},
	{"02-distinct", "SELECT DISTINCT ?p { ?s ?p ?o }"},
	{"03-ask", "ASK { {{person :p7}} :knows {{person :p12}} }"},
	{"04-construct", "CONSTRUCT { :copy ?p ?o } { {{person :p7}} ?p ?o }"},
	{"05-describe", "DESCRIBE {{person :p7}}"},
	{"06-values", "SELECT ?n { VALUES ?c { {{city :city0}} {{city :city1}} {{city :city2}} {{city :city3}} {{city :city4}} {{city :city5}} {{city :city6}} {{city :city7}} {{city :city8}} {{city :city9}} {{city :city10}} {{city :city11}} {{city :city12}} {{city :city13}} {{city :city14}} {{city :city15}} {{city :city16}} {{city :city17}} {{city :city18}} {{city :city19}} } ?x :city ?c ; :name ?n }"},
	{"07-union", "SELECT * { ?x :city {{city :city3}} { ?x :age ?v } UNION { ?x :email ?v } }"},
	{"08-optional", "SELECT * { ?x :worksFor {{org :org3}} OPTIONAL { ?x :email ?e } } LIMIT 200"},
	{"09-minus", "SELECT ?x { ?x :city {{city :city3}} MINUS { ?x a :Moderator } }"},
	{"10-not-exists", "SELECT ?x { ?x :city {{city :city3}} ; a :Person FILTER NOT EXISTS { ?post :author ?x } }"},
	{"11-join-limit", "SELECT * { ?a :knows ?b . ?b :worksFor ?o . ?o :city {{city :city3}} } LIMIT 50"},
	{"12-regex-limit", "SELECT ?x ?n { ?x :name ?n FILTER REGEX(?n, {{pattern '^a.*e'}}, 'i') } LIMIT 200"},
	{"12-regex-count", "SELECT (COUNT(*) AS ?k) { ?x :name ?n FILTER REGEX(?n, {{pattern '^a.*e'}}, 'i') }"},
	{"13-arithmetic", "SELECT ?x ?a { ?x :age ?a FILTER(?a * 2 + 1 > {{bound 100}} && ?a != 60) } LIMIT 200"},
	{"13-arithmetic-count", "SELECT (COUNT(*) AS ?n) { ?x :age ?a FILTER(?a * 2 + 1 > {{bound 100}} && ?a != 60) }"},
	{"14-bind", "SELECT ?x ?s { ?x :name ?n BIND(CONCAT(SUBSTR(?n, 1, 3), '-', STR(STRLEN(?n))) AS ?s) } LIMIT 200"},
	{"15-sequence", "SELECT * { ?x :worksFor/:city ?c } LIMIT 200"},
	{"16-inverse-count", "SELECT (COUNT(*) AS ?n) { ?x ^:knows ?y }"},
	{"17-plus-count", "SELECT (COUNT(*) AS ?n) { {{top :org0}} ^:partOf+ ?x }"},
	{"18-star-count", "SELECT (COUNT(*) AS ?n) { {{person :p7}} :knows* ?x }"},
	{"19-group-order", "SELECT ?c (COUNT(*) AS ?n) { ?x a :Person ; :city ?c } GROUP BY ?c ORDER BY DESC(?n) LIMIT 10"},
	{"20-having", "SELECT ?o (COUNT(*) AS ?n) { ?x :worksFor ?o } GROUP BY ?o HAVING(COUNT(*) > 100)"},
	{"21-avg", "SELECT ?c (AVG(?a) AS ?m) { ?x :city ?c ; :age ?a } GROUP BY ?c"},
	{"22-min-max-sum", "SELECT (MIN(?s) AS ?a) (MAX(?s) AS ?b) (SUM(?s) AS ?c) { ?x :score ?s }"},
	{"23-count-distinct", "SELECT (COUNT(DISTINCT ?c) AS ?n) { ?x a :Person ; :city ?c }"},
	{"24-order-page", "SELECT ?x ?a ?n { ?x :age ?a ; :name ?n } ORDER BY ?a ?n LIMIT 10 OFFSET {{offset 1000}}"},
	{"25-triangle-count", "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c . ?c :knows ?a }"},
	{"26-star", "SELECT (COUNT(*) AS ?k) { ?x a :Person ; :name ?n ; :age ?a ; :city ?c ; :joined ?j ; :worksFor ?o FILTER(?a > {{age 30}}) FILTER(?n > {{letter 'm'}}) }"},
	{"27-chain", "SELECT (COUNT(*) AS ?n) { {{person :p7}} :knows ?b . ?b :knows ?c . ?c :worksFor ?o . ?o :partOf ?q . ?q :city ?y }"},
	{"28-two-hop-count", "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c }"},
	{"29-double-negation", "SELECT ?x { ?x a :Moderator FILTER NOT EXISTS { VALUES ?o { {{top :org0}} {{top :org1}} } FILTER NOT EXISTS { ?x :knows ?y . ?y :worksFor ?o } } }"},
	{"30-two-hop-rows", "SELECT ?a ?c { ?a :knows ?b . ?b :knows ?c }"},
}
