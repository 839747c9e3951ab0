// Package products generates a data set of products, offers and reviews in the shape of BSBM: small
// reads with OPTIONAL, FILTER, ORDER BY and LIMIT as pages of a shop ask them, updates between
// them, and a few heavy aggregations as an analyst asks them.
//
// Every thing has a random stream of its own. Names, words and values are our own, so results are not results
// of BSBM.
package products

import (
	"fmt"
	"io"
	"math/big"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

// prefix is the namespace of every name that the generator makes.
const prefix = "http://products.example/"

// Options choose a data set.
type Options struct {
	Products int    // at least 1
	Seed     uint64 // same seed, same bytes
}

// productsFor returns the number of products whose data set has about the wanted number of
// statements.
func productsFor(statements int) int { return max(1, statements/perProduct) }

// perProduct was measured at 250,000 and a million statements.
const perProduct = 355

// what there is for each product, or of what each thing has many
const (
	offersEach     = 20 // of a product
	reviewsEach    = 10 // of a product
	perProducer    = 50 // products
	perVendor      = 2000
	perReviewer    = 20
	perRatingSite  = 10_000
	featuresOfRoot = 5
)

// counts are how many things there are.
type counts struct {
	products, offers, reviews         int
	producers, vendors, people, sites int
	types                             []productType // the first is the root
	leaves                            []int         // of types
	features                          int
}

// productType is a type of products, with the numbers of its own features.
type productType struct {
	parent   int // -1: none
	level    int
	first, n int // features
}

func above(n, each int) int { return (n + each - 1) / each }

// countsFor are those of n products.
func countsFor(n int, seed uint64) *counts {
	c := &counts{products: n, offers: n * offersEach, reviews: n * reviewsEach}
	c.producers = above(n, perProducer)
	c.vendors = above(c.offers, perVendor)
	c.people = above(c.reviews, perReviewer)
	c.sites = above(c.reviews, perRatingSite)
	c.tree(seed)
	return c
}

// logarithm is num/den·log10 n, rounded: the largest k for which that is at least k-1/2.
func logarithm(n, num, den int) (k int) {
	power := new(big.Int).Exp(big.NewInt(int64(n)), big.NewInt(int64(2*num)), nil)
	for {
		least := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(den*(2*k+1))), nil)
		if power.Cmp(least) < 0 {
			return k
		}
		k++
	}
}

// tree makes the types, level by level, with their features: more of them the further down.
func (c *counts) tree(seed uint64) {
	depth := logarithm(c.products, 1, 2) + 1
	ends := [3]int{2, 4, 8}
	c.types = []productType{{parent: -1, n: featuresOfRoot}}
	c.features = featuresOfRoot
	sum := max(depth*(depth+1)/2-1, 1)
	level := []int{0}
	for i := 1; i <= depth; i++ {
		width := 8
		switch i {
		case depth:
			width = ends[(logarithm(c.products, 3, 2)+1)%3]
		case 1:
			width = 2 * logarithm(c.products, 1, 1)
		}
		var next []int
		for _, parent := range level {
			for range max(width, 1) {
				s := gen.NewStream(seed, classType, uint64(len(c.types)), 1)
				least, most := 35*i/sum, 75*i/sum
				n := least + s.Below(most-least+1)
				next = append(next, len(c.types))
				c.types = append(c.types, productType{parent: parent, level: i, first: c.features, n: n})
				c.features += n
			}
		}
		level = next
	}
	c.leaves = level
}

// classes of random streams
const (
	classType = iota + 1
	classFeature
	classProducer
	classProduct
	classVendor
	classOffer
	classPerson
	classReview
)

type generator struct {
	*gen.Writer
	*counts
	seed uint64
}

func (g *generator) stream(class, i int) gen.Stream {
	return gen.NewStream(g.seed, uint64(class), uint64(i), 0)
}

// half is a number in 0..n-1 of which small ones are common: half a normal distribution.
func half(s *gen.Stream, n int) int {
	v := s.Normal(2 * n)
	if v < n {
		return n - 1 - v
	}
	return v - n
}

// Generate writes the whole data set to w.
func Generate(w io.Writer, opt Options) (gen.Stats, error) {
	g := &generator{Writer: gen.NewWriter(w, prefix), counts: countsFor(max(opt.Products, 1), opt.Seed), seed: opt.Seed}
	for _, part := range []struct {
		n     int
		write func(i int)
	}{
		{len(g.types), g.productType}, {g.features, g.feature}, {g.producers, g.producer}, {g.products, g.product},
		{g.vendors, g.vendor}, {g.offers, g.offer}, {g.people, g.person}, {g.reviews, g.review},
	} {
		for i := range part.n {
			part.write(i)
			if err := g.Err(); err != nil {
				return gen.Stats{}, err
			}
		}
	}
	return g.Close()
}

func name(kind string, i int) string { return kind + strconv.Itoa(i) }

// day is a date as its number from the first of January 2007; there are three years of them, of twelve months of 28 days.
func day(i int) string { return fmt.Sprintf("%d-%02d-%02d", 2007+i/336, 1+i/28%12, 1+i%28) }

// days are how many there are.
const days = 3 * 336
