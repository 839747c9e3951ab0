package social

import (
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

var languages = [4]string{"en", "de", "fr", "pt-br"}

func (g *writer) city(i int) {
	g.graph = -1
	s := g.stream(classCity, i, 0)
	g.iri("city", i)
	g.rdfType("City")
	g.end()
	g.iri("city", i)
	g.predicate("name")
	g.buf = append(g.buf, '"')
	g.buf = gen.AppendWord(g.buf, i*7%gen.Words)
	g.buf = strconv.AppendInt(g.buf, int64(i), 10)
	g.buf = append(g.buf, '"')
	g.end()
	g.iri("city", i)
	g.predicate("country")
	g.iri("country", s.Zipf(40))
	g.end()
	g.iri("city", i)
	g.predicate("population")
	g.buf = append(g.buf, '"')
	g.hundredths(s.Below(900_000_000))
	g.typed("decimal")
	g.end()
	for l := range 1 + s.Below(4) {
		g.iri("city", i)
		g.buf = append(g.buf, " <http://www.w3.org/2000/01/rdf-schema#label> \""...)
		g.buf = gen.AppendText(g.buf, &s, 1+s.Below(2))
		g.buf = append(g.buf, "\"@"...)
		g.buf = append(g.buf, languages[l]...)
		g.end()
	}
}

func (g *writer) org(i int) {
	g.graph = -1
	s := g.stream(classOrg, i, 0)
	g.iri("org", i)
	g.rdfType("Org")
	g.end()
	g.iri("org", i)
	g.predicate("name")
	g.buf = append(g.buf, '"')
	g.buf = gen.AppendText(g.buf, &s, 2)
	g.buf = append(g.buf, '"')
	g.end()
	g.iri("org", i)
	g.predicate("city")
	g.iri("city", s.Zipf(Cities(i*50)))
	g.end()
	if i > 0 && s.Chance(9, 10) {
		g.iri("org", i)
		g.predicate("partOf")
		g.iri("org", s.Below(i))
		g.end()
	}
}

func (g *writer) person(i int) {
	g.graph = -1
	s := g.stream(classPerson, i, 0)
	g.iri("p", i)
	g.rdfType("Person")
	g.end()
	if s.Chance(1, 50) {
		g.iri("p", i)
		g.rdfType("Moderator")
		g.end()
	}
	g.iri("p", i)
	g.predicate("name")
	g.buf = append(g.buf, '"')
	g.buf = gen.AppendText(g.buf, &s, 2)
	g.buf = append(g.buf, '"')
	if s.Chance(1, 20) {
		g.buf = append(g.buf, '@')
		g.buf = append(g.buf, languages[s.Below(4)]...)
	}
	g.end()
	g.iri("p", i)
	g.predicate("age")
	g.integer(10+s.Normal(81), "integer")
	g.end()
	if s.Chance(7, 10) {
		g.iri("p", i)
		g.predicate("email")
		g.buf = append(g.buf, "<mailto:p"...)
		g.buf = strconv.AppendInt(g.buf, int64(i), 10)
		g.buf = append(g.buf, "@mail"...)
		g.buf = strconv.AppendInt(g.buf, int64(s.Below(20)), 10)
		g.buf = append(g.buf, ".example>"...)
		g.end()
	}
	g.iri("p", i)
	g.predicate("city")
	g.iri("city", s.Zipf(Cities(i)))
	g.end()
	if s.Chance(6, 10) {
		g.iri("p", i)
		g.predicate("worksFor")
		g.iri("org", s.Zipf(Orgs(i)))
		g.end()
	}
	g.knows(i)
	g.iri("p", i)
	g.predicate("joined")
	g.dateTime(&s, s.Chance(1, 2))
	g.end()
	for j := range g.posts(i) {
		g.post(i, j)
	}
}

// knows links person i to 1..12 distinct others, four in five of them inside
// the own community, none outside the communities up to the own one.
func (g *writer) knows(i int) {
	s := g.stream(classPerson, i, 1)
	first := i / communitySize * communitySize
	var seen [12]int
	n := 0
	for range 1 + s.Normal(12) {
		other := first + s.Below(communitySize)
		if s.Chance(1, 5) {
			other = s.Below(first + communitySize)
		}
		if other == i || contains(seen[:n], other) {
			continue
		}
		seen[n] = other
		n++
		g.iri("p", i)
		g.predicate("knows")
		g.iri("p", other)
		g.end()
	}
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// posts returns the number of posts of person i: Zipf over 0..12, three in the
// mean.
func (g *writer) posts(i int) int {
	s := g.stream(classPerson, i, 2)
	return s.Zipf(13)
}

func (g *writer) postIRI(person, post int) {
	g.iri("post", person)
	g.buf[len(g.buf)-1] = '_'
	g.buf = strconv.AppendInt(g.buf, int64(post), 10)
	g.buf = append(g.buf, '>')
}

func (g *writer) post(i, j int) {
	if g.opt.Graphs {
		g.graph = i / communitySize
	}
	s := g.stream(classPost, i, j)
	g.postIRI(i, j)
	g.rdfType("Post")
	g.end()
	g.postIRI(i, j)
	g.predicate("author")
	g.iri("p", i)
	g.end()
	g.postIRI(i, j)
	g.predicate("created")
	g.dateTime(&s, s.Chance(1, 2))
	g.end()
	g.postIRI(i, j)
	g.predicate("text")
	g.buf = append(g.buf, '"')
	g.buf = gen.AppendText(g.buf, &s, 8+s.Below(33))
	if s.Chance(1, 20) {
		g.buf = append(g.buf, `\n\"`...)
		g.buf = gen.AppendText(g.buf, &s, 3)
		g.buf = append(g.buf, `\"`...)
	}
	g.buf = append(g.buf, '"')
	g.end()
	g.postIRI(i, j)
	g.predicate("score")
	g.score(&s)
	g.end()
	if q, r, ok := g.earlier(&s, i, j); ok {
		g.postIRI(i, j)
		g.predicate("replyTo")
		g.postIRI(q, r)
		g.end()
	}
}

// score is a decimal with two digits; one in twenty is a double, one in a
// thousand is no number at all.
func (g *writer) score(s *gen.Stream) {
	g.buf = append(g.buf, '"')
	switch v := s.Below(1000); {
	case v == 0:
		g.buf = append(g.buf, "n/a"...)
		g.typed("decimal")
	case v <= 50:
		g.hundredths(s.Below(10_000))
		g.buf = append(g.buf, "E0"...)
		g.typed("double")
	default:
		g.hundredths(s.Below(10_000))
		g.typed("decimal")
	}
}

// earlier picks the post that post j of person i answers, for six in ten.
func (g *writer) earlier(s *gen.Stream, i, j int) (person, post int, ok bool) {
	if !s.Chance(6, 10) {
		return 0, 0, false
	}
	first := i / communitySize * communitySize
	for range 8 {
		q := first + s.Below(i-first+1)
		n := j
		if q != i {
			n = g.posts(q)
		}
		if n > 0 {
			return q, s.Below(n), true
		}
	}
	return 0, 0, false
}
