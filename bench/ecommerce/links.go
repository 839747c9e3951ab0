package ecommerce

import "github.com/rete-go/rete/bench/gen"

// draw is a distribution, of a number of links or of what is picked.
type draw int

const (
	exact draw = iota
	evenly
	normally
	byRank
)

// below draws from 0..n-1; exact is n-1.
func (d draw) below(s *gen.Stream, n int) int {
	switch d {
	case evenly:
		return s.Below(n)
	case normally:
		return s.Normal(n)
	case byRank:
		return s.Zipf(n)
	}
	return n - 1
}

// link is a predicate from instances of a class to instances of another.
type link struct {
	left    class
	only    int // the category or the role of the left, or any
	name    string
	right   class
	has     int // the role of the right, or any
	most    int // links of one left: 1..most, or most
	number  draw
	percent int // of the lefts that have such links
	pick    draw
	owner   bool // a right has one left
}

// links are the links of every class, a row for each of the table of the data model.
var links = []link{
	{subGenre, any, "tag", topic, any, 6, evenly, 100, evenly, false},
	{product, any, "hasGenre", subGenre, any, 2, exact, 100, normally, false},
	{product, any, "hasGenre", subGenre, any, 3, evenly, 25, normally, false},
	{product, any, "tag", topic, any, 20, normally, 60, evenly, false},
	{product, any, "homepage", website, any, 1, exact, 25, evenly, false},
	{city, any, "parentCountry", country, any, 1, exact, 100, byRank, false},
	{website, any, "language", language, any, 1, exact, 100, byRank, false},
	{user, any, "likes", product, any, 5, normally, 20, byRank, false},
	{user, any, "likes", product, any, 25, normally, 5, evenly, false},
	{user, any, "homepage", website, any, 1, exact, 5, evenly, true},
	{user, any, "subscribes", website, any, 15, normally, 20, evenly, false},
	{user, any, "follows", user, 2, 5, normally, 20, byRank, false},
	{user, any, "follows", user, 1, 15, normally, 30, evenly, false},
	{user, any, "follows", user, 0, 100, normally, 60, evenly, false},
	{user, any, "friendOf", user, any, 225, normally, 40, evenly, false},
	{user, any, "Location", city, any, 1, exact, 40, byRank, false},
	{user, any, "age", ageGroup, any, 1, exact, 50, normally, false},
	{user, any, "gender", gender, any, 1, exact, 60, evenly, false},
	{user, any, "nationality", country, any, 1, exact, 20, byRank, false},
	{product, 0, "conductor", user, 2, 1, exact, 50, evenly, false},
	{product, 0, "performed_in", city, any, 1, exact, 50, byRank, false},
	{product, 1, "artist", user, 2, 1, exact, 80, byRank, false},
	{product, 2, "actor", user, 2, 25, normally, 80, evenly, false},
	{product, 2, "director", user, 2, 1, exact, 80, byRank, false},
	{product, 2, "trailer", website, any, 3, evenly, 10, evenly, false},
	{product, 2, "language", language, any, 4, evenly, 30, byRank, false},
	{product, 3, "author", user, 2, 4, normally, 80, evenly, false},
	{product, 3, "editor", user, 2, 4, normally, 40, evenly, false},
	{product, 3, "language", language, any, 10, evenly, 5, byRank, false},
	{product, 4, "author", user, any, 1, exact, 80, evenly, false},
	{product, 4, "editor", user, any, 3, normally, 10, evenly, false},
	{retailer, any, "offers", offer, any, 180, normally, 100, byRank, false},
	{retailer, any, "offers", offer, any, 90, normally, 50, normally, false},
	{retailer, any, "offers", offer, any, 45, normally, 25, evenly, false},
	{retailer, any, "contactPoint", user, any, 1, exact, 80, evenly, true},
	{retailer, any, "employee", user, any, 10, evenly, 20, evenly, true},
	{offer, any, "includes", product, any, 1, exact, 100, evenly, false},
	{offer, any, "eligibleRegion", country, any, 5, exact, 50, byRank, false},
	{user, 0, "makesPurchase", purchase, any, 20, normally, 30, evenly, true},
	{purchase, any, "purchaseFor", product, any, 1, exact, 100, byRank, false},
	{product, any, "hasReview", review, any, 60, normally, 20, evenly, true},
	{review, any, "reviewer", user, 1, 1, exact, 100, evenly, false},
}

// tries is how often a right is drawn that does not do: it lacks the role, or the left
// has it already.
const tries = 64

// link writes the links of one row of the table of instance i.
func (g *generator) link(l *link, s *gen.Stream, i, block int) {
	if !s.Chance(l.percent, 100) {
		return
	}
	n := 1 + l.number.below(s, l.most)
	if l.owner {
		g.own(l, n, block)
		return
	}
	if g.name != l.name { // rows of one predicate are neighbours
		g.name, g.seen = l.name, make(map[int]bool)
	}
	of := l.right.count(block + 1)
	for range n {
		for range tries {
			r := l.pick.below(s, of)
			if g.seen[r] || l.right == l.left && r == i || !g.in(l.right, r, l.has) {
				continue
			}
			g.seen[r] = true
			g.Link(l.name, l.right.iri(r))
			break
		}
	}
}

// own gives the left the next n rights of this block that have no owner by this
// link, in a mixed order.
func (g *generator) own(l *link, n, block int) {
	of := kinds[l.right].count
	key := kinds[l.left].name + l.name
	for range n {
		k := g.owned[key]
		if k == of {
			return
		}
		g.owned[key] = k + 1
		g.Link(l.name, l.right.iri(block*of+k*367%of)) // 367 is prime
	}
}
