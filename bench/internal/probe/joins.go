package probe

import (
	"fmt"

	"github.com/rete-go/rete/bench/internal/limits"
	"github.com/rete-go/rete/bench/internal/steady"
)

// join measures a query whose rows the limit has too.
func (e *env) join(text string, works, lims int, limit func() int) measure {
	s := e.loaded().queries
	q := parse(text)
	n := e.ask(s, q)
	if got := limit(); got != n {
		e.fail(fmt.Errorf("the query has %d rows, and its limit %d", n, got))
	}
	return measure{unit: "rows", n: n, pair: steady.Pair{
		Work:  timed(func() { e.ask(s, q) }),
		Limit: func() { limit() },
		Works: works, Limits: lims,
	}}
}

// count: how many rows a predicate has, in a graph with entries. Its limit compares the predicates
// of a slice of rows.
func count(e *env) measure {
	rows, p := e.loaded().rows, e.id("knows")
	s := e.queries(storeFolded)
	q := parse("SELECT (COUNT(*) AS ?n) { ?a :knows ?b }")
	return measure{unit: "counts", n: 1, pair: steady.Pair{
		Work: timed(func() { e.ask(s, q) }),
		Limit: func() {
			n := 0
			for _, r := range rows {
				if r[1] == p {
					n++
				}
			}
			if n == 0 {
				e.fail(fmt.Errorf("the limit counts nothing"))
			}
		},
		Works: 200, Limits: 40,
	}}
}

func joinMerge(e *env) measure {
	in, out := e.loaded().graph.Edges(e.id("knows"), true), e.edges("knows")
	return e.join("SELECT ?a ?c { ?a :knows ?b . ?b :knows ?c }", 3, 12, func() int { return limits.Merge(in, out) })
}

func joinHash(e *env) measure {
	reply, author, works := e.edges("replyTo"), e.edges("author"), e.edges("worksFor")
	return e.join("SELECT ?r ?a ?o { ?r :replyTo ?p . ?p :author ?a . ?a :worksFor ?o }", 12, 24,
		func() int { return limits.Hash(reply, author, works) })
}

func joinProbe(e *env) measure {
	works, knows := e.edges("worksFor"), e.edges("knows")
	return e.join("SELECT ?a ?b ?c { ?a :knows ?b . ?a :worksFor ?c }", 12, 24, func() int { return limits.Probe(works, knows) })
}

func joinLeapfrog(e *env) measure {
	knows, works := e.edges("knows"), e.edges("worksFor")
	return e.join("SELECT ?a ?b ?o { ?a :knows ?b . ?a :worksFor ?o . ?b :worksFor ?o }", 3, 100, func() int { return limits.Same(knows, works) })
}

func joinTriangle(e *env) measure {
	knows := e.edges("knows")
	return e.join("SELECT ?a ?b ?c { ?a :knows ?b . ?b :knows ?c . ?a :knows ?c }", 3, 10, func() int { return limits.Triangle(knows) })
}

func joinStar(e *env) measure {
	var arms []*limits.Edges
	for _, p := range []string{"worksFor", "email", "age", "joined", "name", "city"} {
		arms = append(arms, e.edges(p))
	}
	return e.join("SELECT ?a ?n ?c { ?a :name ?n ; :age ?g ; :email ?e ; :worksFor ?w ; :joined ?j ; :city ?c }", 6, 60,
		func() int { return limits.Star(arms...) })
}

func joinChain(e *env) measure {
	var links []*limits.Edges
	for _, p := range []string{"replyTo", "author", "worksFor", "city", "country"} {
		links = append(links, e.edges(p))
	}
	return e.join("SELECT ?r ?k { ?r :replyTo ?p . ?p :author ?a . ?a :worksFor ?o . ?o :city ?c . ?c :country ?k }", 8, 60,
		func() int { return limits.Chain(links...) })
}
