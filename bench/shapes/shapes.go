// Package shapes holds the query shapes by which engines are compared, over the
// social data set: the 24 operator shapes and the extra ones.
package shapes

import "github.com/rete-go/rete/bench/social"

// Shape is one query shape.
type Shape struct {
	Name  string
	Query string
}

// Prologue declares the prefixes of the queries.
const Prologue = "PREFIX : <" + social.Prefix + ">\nPREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n"

// Text returns the whole query.
func (s Shape) Text() string { return Prologue + s.Query }

// All are the shapes, in the order of their numbers.
var All = []Shape{
	{"01-count", "SELECT (COUNT(*) AS ?n) { ?x :knows ?y }"},
	{"02-distinct", "SELECT DISTINCT ?p { ?s ?p ?o }"},
	{"03-ask", "ASK { :p7 :knows :p12 }"},
	{"04-construct", "CONSTRUCT { ?o ?p :p7 } { :p7 ?p ?o }"},
	{"05-describe", "DESCRIBE :p7"},
	{"06-values", "SELECT ?n { VALUES ?c { :city0 :city1 :city2 :city3 :city4 :city5 :city6 :city7 :city8 :city9 } ?x :city ?c ; :name ?n }"},
	{"07-union", "SELECT * { ?x :city :city3 { ?x :age ?v } UNION { ?x :email ?v } }"},
	{"08-optional", "SELECT * { ?x :worksFor :org3 OPTIONAL { ?x :email ?e } } LIMIT 200"},
	{"09-minus", "SELECT ?x { ?x :city :city3 MINUS { ?x a :Moderator } }"},
	{"10-not-exists", "SELECT ?x { ?x :city :city3 ; a :Person FILTER NOT EXISTS { ?post :author ?x } }"},
	{"11-join-limit", "SELECT * { ?a :knows ?b . ?b :worksFor ?o . ?o :city :city3 } LIMIT 50"},
	{"12-regex-limit", "SELECT ?x ?n { ?x :name ?n FILTER REGEX(?n, '^a.*e', 'i') } LIMIT 200"},
	{"12-regex-count", "SELECT (COUNT(*) AS ?k) { ?x :name ?n FILTER REGEX(?n, '^a.*e', 'i') }"},
	{"13-arithmetic", "SELECT ?x ?a { ?x :age ?a FILTER(?a * 2 + 1 > 100 && ?a != 60) } LIMIT 200"},
	{"13-arithmetic-count", "SELECT (COUNT(*) AS ?n) { ?x :age ?a FILTER(?a * 2 + 1 > 100 && ?a != 60) }"},
	{"14-bind", "SELECT ?x ?s { ?x :name ?n BIND(CONCAT(SUBSTR(?n, 1, 3), '-', STR(STRLEN(?n))) AS ?s) } LIMIT 200"},
	{"15-sequence", "SELECT * { ?x :worksFor/:city ?c } LIMIT 200"},
	{"16-inverse-count", "SELECT (COUNT(*) AS ?n) { ?x ^:knows ?y }"},
	{"17-plus-count", "SELECT (COUNT(*) AS ?n) { :org0 ^:partOf+ ?x }"},
	{"18-star-count", "SELECT (COUNT(*) AS ?n) { :p7 :knows* ?x }"},
	{"19-group-order", "SELECT ?c (COUNT(*) AS ?n) { ?x a :Person ; :city ?c } GROUP BY ?c ORDER BY DESC(?n) LIMIT 10"},
	{"20-having", "SELECT ?o (COUNT(*) AS ?n) { ?x :worksFor ?o } GROUP BY ?o HAVING(COUNT(*) > 100)"},
	{"21-avg", "SELECT ?c (AVG(?a) AS ?m) { ?x :city ?c ; :age ?a } GROUP BY ?c"},
	{"22-min-max-sum", "SELECT (MIN(?s) AS ?a) (MAX(?s) AS ?b) (SUM(?s) AS ?c) { ?x :score ?s }"},
	{"23-count-distinct", "SELECT (COUNT(DISTINCT ?c) AS ?n) { ?x a :Person ; :city ?c }"},
	{"24-order-page", "SELECT ?x ?a ?n { ?x :age ?a ; :name ?n } ORDER BY ?a ?n LIMIT 10 OFFSET 1000"},
	{"25-triangle-count", "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c . ?c :knows ?a }"},
	{"26-star", "SELECT (COUNT(*) AS ?k) { ?x a :Person ; :name ?n ; :age ?a ; :city ?c ; :joined ?j ; :worksFor ?o FILTER(?a > 30) FILTER(?n > 'm') }"},
	{"27-chain", "SELECT (COUNT(*) AS ?n) { :p7 :knows ?b . ?b :knows ?c . ?c :worksFor ?o . ?o :partOf ?q . ?q :city ?y }"},
	{"28-two-hop-count", "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c }"},
	{"29-double-negation", "SELECT ?x { ?x a :Moderator FILTER NOT EXISTS { VALUES ?o { :org0 :org1 } FILTER NOT EXISTS { ?x :knows ?y . ?y :worksFor ?o } } }"},
	{"30-two-hop-rows", "SELECT ?a ?c { ?a :knows ?b . ?b :knows ?c }"},
}
