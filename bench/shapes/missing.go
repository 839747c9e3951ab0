package shapes

import "github.com/rete-go/rete/bench/workload"

// missing are queries over the social data set with constants that it does not have, in
// every position.
var missing = []workload.Query{
	{Name: "subject", Text: "SELECT * { :nobody ?p ?o }"},
	{Name: "predicate", Text: "SELECT * { ?s :never ?o }"},
	{Name: "object", Text: "SELECT * { ?s ?p :nothing }"},
	{Name: "literal", Text: "SELECT * { ?s :name 'no such name' }"},
	{Name: "graph", Text: "SELECT * { GRAPH :nowhere { ?s ?p ?o } }"},
	{Name: "all", Text: "ASK { :nobody :never :nothing }"},
	{Name: "join", Text: "SELECT * { ?a :knows ?b . ?b :city :nowhere }"},
	{Name: "join-last", Text: "SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :worksFor ?o . ?o :never ?x }"},
	{Name: "optional", Text: "SELECT (COUNT(*) AS ?n) { ?a :worksFor ?b OPTIONAL { ?b :never ?x } }"},
	{Name: "minus", Text: "SELECT (COUNT(*) AS ?n) { ?a :worksFor ?b MINUS { ?a :knows :nobody } }"},
	{Name: "not-exists", Text: "SELECT (COUNT(*) AS ?n) { ?a :worksFor ?b FILTER NOT EXISTS { ?a :knows :nobody } }"},
	{Name: "union", Text: "SELECT (COUNT(*) AS ?n) { { ?a :city :nowhere } UNION { ?a :never ?b } UNION { ?a :worksFor ?b } }"},
	{Name: "values", Text: "SELECT * { VALUES ?c { :nowhere :nothing } ?a :city ?c ; :knows ?b }"},
	{Name: "filter-in", Text: "SELECT * { ?a :city ?c ; :knows ?b FILTER(?c IN (:nowhere, :nothing)) }"},
	{Name: "path-from", Text: "SELECT * { :nobody :knows+ ?x }"},
	{Name: "path-zero", Text: "SELECT * { :nobody :knows* ?x }"},
	{Name: "path-through", Text: "SELECT (COUNT(*) AS ?n) { ?x :never+ ?y }"},
}

// MissingSet returns the social data set with about the given number of statements, and the
// queries for what it does not have.
func MissingSet(statements int) *workload.Set {
	set := Set(statements)
	set.Name, set.Queries = "missing", missing
	return set
}
