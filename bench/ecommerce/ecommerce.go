// Package ecommerce generates a data set of an online market with a social network in
// the shape of WatDiv: many predicates of very different selectivities, instances of
// a class with differing sets of properties, stars, chains and snowflakes over them.
//
// The data grow by blocks: block k has as many products, retailers, offers, purchases,
// websites, reviews and users as a set of factor 1, and links to instances of blocks 0
// to k only, so the statements of an instance are the same at every scale. Names,
// words and values are our own, so results are not results of WatDiv.
package ecommerce

import (
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

// Prefix is the namespace of every name that the generator makes.
const Prefix = "http://shop.example/"

// statementsPerFactor is about the size of a block.
const statementsPerFactor = 110_000

// Options choose a data set.
type Options struct {
	Factor int    // blocks, at least 1
	Seed   uint64 // same seed, same bytes
}

// factorFor returns the factor whose data set has about the wanted number of
// statements.
func factorFor(statements int) int {
	return max(1, (statements+statementsPerFactor/2)/statementsPerFactor)
}

// class is a class of instances.
type class int

const (
	product class = iota
	retailer
	offer
	purchase
	website
	review
	user
	genre
	subGenre
	topic
	category
	city
	country
	language
	role
	ageGroup
	gender
	classes
)

// kinds gives each class its name, and how many of it there are in a block, or in all
// for those that do not grow.
var kinds = [classes]struct {
	name  string
	count int
	grows bool
}{
	product:  {"Product", 250, true},
	retailer: {"Retailer", 12, true},
	offer:    {"Offer", 900, true},
	purchase: {"Purchase", 1500, true},
	website:  {"Website", 50, true},
	review:   {"Review", 1500, true},
	user:     {"User", 1000, true},
	genre:    {"Genre", 21, false},
	subGenre: {"SubGenre", 145, false},
	topic:    {"Topic", 250, false},
	category: {"ProductCategory", 15, false},
	city:     {"City", 240, false},
	country:  {"Country", 25, false},
	language: {"Language", 25, false},
	role:     {"Role", 3, false},
	ageGroup: {"AgeGroup", 9, false},
	gender:   {"Gender", 2, false},
}

// Count returns the number of instances of a class, by its name, at a factor; 0 if
// there is no such class.
func Count(name string, factor int) int {
	for c := range classes {
		if kinds[c].name == name {
			return c.count(factor)
		}
	}
	return 0
}

func (c class) count(factor int) int {
	if kinds[c].grows {
		return kinds[c].count * factor
	}
	return kinds[c].count
}

func (c class) iri(i int) string { return kinds[c].name + strconv.Itoa(i) }

// Generate writes the whole data set to w.
func Generate(w io.Writer, opt Options) (gen.Stats, error) {
	g := &generator{Writer: gen.NewWriter(w, Prefix), seed: opt.Seed}
	for c := genre; c < classes; c++ {
		for i := range kinds[c].count {
			g.instance(c, i, 0)
		}
	}
	for block := range max(opt.Factor, 1) {
		g.begin(block)
		for c := product; c < genre; c++ {
			for i := range kinds[c].count {
				g.instance(c, block*kinds[c].count+i, block)
			}
		}
		if err := g.Err(); err != nil {
			return gen.Stats{}, err
		}
	}
	return g.Close()
}

// generator writes a data set.
type generator struct {
	*gen.Writer
	seed  uint64
	roles []uint8        // of the users so far, a bit each
	owned map[string]int // rights with one owner that are taken in this block, by the link
	name  string         // the predicate of the last links of this instance
	seen  map[int]bool   // the rights of them
}

// properties of random streams; those of groups and links follow in their order.
const (
	streamOf = iota // category of a product, roles of a user
	streamGroups
	streamLinks = streamGroups + 64
)

func (g *generator) stream(c class, i, property int) gen.Stream {
	return gen.NewStream(g.seed, uint64(c), uint64(i), uint64(property))
}

// begin begins a block: it draws the roles of its users, since links choose by them.
func (g *generator) begin(block int) {
	g.owned = make(map[string]int)
	for i := range kinds[user].count {
		s := g.stream(user, block*kinds[user].count+i, streamOf)
		mask := uint8(1) << s.Zipf(3)
		if s.Chance(1, 10) {
			mask |= 1 << s.Zipf(3)
			mask |= 1 << s.Zipf(3)
		}
		if s.Chance(1, 100) {
			mask = 7
		}
		g.roles = append(g.roles, mask)
	}
}

func (g *generator) category(i int) int {
	s := g.stream(product, i, streamOf)
	return s.Below(kinds[category].count)
}

// instance writes what is said of an instance.
func (g *generator) instance(c class, i, block int) {
	g.Subject(c.iri(i))
	g.name = ""
	switch c {
	case product:
		g.Type(category.iri(g.category(i)))
	case subGenre:
		s := g.stream(c, i, streamOf)
		g.Type(genre.iri(s.Below(kinds[genre].count)))
	case user:
		for r := range kinds[role].count {
			if g.roles[i]>>r&1 == 1 {
				g.Type(role.iri(r))
			}
		}
	}
	for k := range groups {
		if of := &groups[k]; of.class == c && g.in(c, i, of.only) {
			s := g.stream(c, i, streamGroups+k)
			of.write(g, &s)
		}
	}
	for k := range links {
		if l := &links[k]; l.left == c && g.in(c, i, l.only) {
			s := g.stream(c, i, streamLinks+k)
			g.link(l, &s, i, block)
		}
	}
}

// any is no condition.
const any = -1

// in reports whether an instance is of a category, if it is a product, or has a role,
// if it is a user.
func (g *generator) in(c class, i, only int) bool {
	switch {
	case only == any:
		return true
	case c == product:
		return g.category(i) == only
	}
	return g.roles[i]>>only&1 == 1
}
