package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

const (
	queryPath = "/query"
	ok        = http.StatusOK
	none      = http.StatusNoContent
	bad       = http.StatusBadRequest
	large     = http.StatusRequestEntityTooLarge
	memory    = http.StatusUnprocessableEntity
)

// query is a row of the table that is answered, or refused the memory, or its text for being
// longer than that.
func query(name string, small, size int, body func(int) io.Reader, right ...int) Input {
	if right == nil {
		right = []int{ok, memory}
	}
	return Input{Name: name, Path: queryPath, Media: "application/sparql-query", Body: body, Small: small, Large: size, Right: append(right, large)}
}

// doubles makes a text by n calls of CONCAT, each of what the previous one made.
func doubles(n int) io.Reader {
	var b strings.Builder
	b.WriteString("SELECT (STRLEN(?x" + strconv.Itoa(n) + ") AS ?n) { BIND('ab' AS ?x0)")
	for i := range n {
		fmt.Fprintf(&b, " BIND(CONCAT(?x%d, ?x%d) AS ?x%d)", i, i, i+1)
	}
	b.WriteString(" }")
	return strings.NewReader(b.String())
}

// doubling makes a text of a function of itself, to a depth of the size.
func doubling(open, inner, end, where string) func(int) io.Reader {
	return nest("SELECT (STRLEN(", open, inner, end, ") AS ?n) { "+where+" }")
}

// cross is a product with as many rows as statements to the third power.
const cross = "{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"

// queries returns the queries of the table.
func queries() []Input {
	return []Input{
		query("VALUES of numbers", 150_000, 2_200_000, list("SELECT (COUNT(*) AS ?n) { VALUES ?x {", " #", "} }")),
		query("VALUES of IRIs", 60_000, 700_000, list("SELECT (COUNT(*) AS ?n) { VALUES (?x ?y) {", " (<urn:s#> UNDEF)", "} }")),
		query("VALUES joined with itself", 2000, 200_000, func(n int) io.Reader {
			return join("SELECT * { VALUES ?x {", repeat(n, " #"), "} VALUES ?y {", repeat(n, " #"), "} } ORDER BY ?y ?x")
		}),
		query("IN of numbers", 150_000, 1_900_000, list("SELECT * { ?s <urn:n> ?o FILTER(?o IN (0", ", #", ")) }")),
		query("NOT IN of IRIs", 50_000, 700_000, list("SELECT * { ?s ?p ?o FILTER(?o NOT IN (<urn:x>", ", <urn:s#>", ")) }")),
		query("alternatives of equality", 20_000, 400_000, list("SELECT * { ?s <urn:n> ?o FILTER(?o = 0", " || ?o = #", ") }"), ok, memory, bad),
		query("chain of CONCAT", 25, 40, doubles),
		query("nested REPLACE", 8, 16, doubling("REPLACE(", "?t", ", 'a', 'aaaaaaaa')", "<urn:t1> <urn:t> ?t")),
		query("nested ENCODE_FOR_URI", 15, 60, doubling("ENCODE_FOR_URI(", "CONCAT(?t, '%%%')", ")", "<urn:t1> <urn:t> ?t")),
		query("CONCAT of rows", 30, 5000, list("SELECT * { ?s <urn:t> ?t . ?a <urn:n> ?b BIND(CONCAT(?t, ?t", ", ?t", ") AS ?x) } ORDER BY ?x")),
		query("nested parentheses", 100_000, 5_000_000, nest("ASK { FILTER", "(", "?x", ")", " }"), bad),
		query("nested groups", 100_000, 5_000_000, nest("ASK ", "{", "?s ?p ?o", "}", ""), bad),
		query("nested negations", 300_000, 12_000_000, nest("ASK { FILTER(", "!", "?x", "", ") }"), bad),
		query("nested OPTIONALs", 300, 900, nest("SELECT * { ", "?s# <urn:p> ?s OPTIONAL { ", "?s ?p ?o", " }", " }"), ok, memory, bad),
		query("nested EXISTS", 100, 900, nest("SELECT * { ", "?s# <urn:p> ?s FILTER EXISTS { ", "?s ?p ?o", " }", " }"), ok, memory, bad),
		query("nested sub-selects", 200, 900, nest("SELECT * ", "{ { SELECT * ", "{ ?s ?p ?o }", " } ?s# ?p ?o }", ""), ok, memory, bad),
		query("nested paths", 200, 900, nest("SELECT (COUNT(*) AS ?n) { ?s ", "(", "<urn:p>", ")*", " ?o }"), ok, memory, bad),
		query("PREFIX lines", 20_000, 400_000, list("", "PREFIX p#: <urn:x#>\n", "ASK {}")),
		query("a long IRI", 500_000, 15_000_000, list("SELECT * { ?s ?p <urn:", "x", "> }")),
		query("UNION branches", 4000, 400_000, list("SELECT * { {?s ?p ?o}", " UNION {?s <urn:n> #}", "}"), ok, memory, bad),
		query("OPTIONALs", 1000, 9900, list("SELECT * { ?s <urn:n> 1 ", "OPTIONAL {?s <urn:n> ?o#} ", "}")),
		query("joins of sub-selects", 800, 4000, list("SELECT ?s { ?s ?p ?o ", "{ SELECT ?s { ?s <urn:n> ?o } } ", "}")),
		query("chain of BINDs", 2000, 9900, list("SELECT * { ?s <urn:n> ?o ", "BIND(STR(?o) AS ?o#) ", "}")),
		query("aggregates", 500, 9000, list("SELECT", " (SUM(?o + #) AS ?x#)", " { ?s <urn:n> ?o } GROUP BY ?s")),
		query("cross product", 0, 0, text("SELECT (COUNT(?a) AS ?n) "+cross[:len(cross)-2]+" FILTER(?a != ?i) }")),
		query("ORDER BY of a cross product", 0, 0, text("SELECT * "+cross+" ORDER BY ?i ?a")),
		query("DISTINCT of a cross product", 0, 0, text("SELECT DISTINCT ?a ?f ?i "+cross)),
		query("GROUP BY of a cross product", 0, 0, text("SELECT ?a ?f ?i (COUNT(DISTINCT ?c) AS ?n) "+cross+" GROUP BY ?a ?f ?i")),
		query("GROUP_CONCAT of a cross product", 0, 0, text("SELECT (STRLEN(GROUP_CONCAT(?i)) AS ?n) "+cross)),
		query("closure of dense edges", 0, 0, text("SELECT (COUNT(*) AS ?n) { ?s (<urn:p>|<urn:q>|^<urn:p>)* ?o . ?o (<urn:p>/<urn:q>)+ ?x }")),
		query("alternatives of a path, repeated", 2000, 9900, list("SELECT (COUNT(*) AS ?n) { ?s (", "<urn:p#>|", "<urn:p>)* ?o }"), ok, memory, bad),
		query("steps of a path", 1000, 9900, list("SELECT (COUNT(*) AS ?n) { ?s ", "<urn:p>/", "<urn:p> ?o }"), ok, memory, bad),
		query("steps of a path, optional and repeated", 3500, 5000, list("SELECT (COUNT(*) AS ?n) { ?s (", "<urn:p>?/", "<urn:q>)* ?o }"), ok, memory, bad),
		query("REGEX that backtracks", 12, 24, nest("SELECT * { ?s <urn:t> ?t FILTER REGEX(?t, '", "(a*", "", ")*", "b$') }")),
		query("REGEX of counts", 0, 0, text("SELECT * { ?s <urn:t> ?t FILTER REGEX(?t, '^((a{1,30}){1,30}){1,30}$') }"), bad),
		query("a long REGEX", 20_000, 1_000_000, list("SELECT * { ?s <urn:t> ?t FILTER REGEX(?t, 'x", "|b#c", "') }"), ok, memory, bad),
		query("SERVICE without an endpoint", 0, 0, text("SELECT * { ?s <urn:n> 1 SERVICE SILENT ?none { ?s ?p ?o } }")),
		query("a long CONSTRUCT", 2000, 100_000, list("CONSTRUCT {", "?s <urn:x#> ?o . ?o <urn:y> [] . ", "} { ?s <urn:n> ?o }")),
		query("a syntax error at the end", 50_000, 700_000, list("SELECT * { VALUES ?x {", " <urn:s#>", "} } LIMIT"), bad, memory),
	}
}
