package products

import (
	"bytes"

	"github.com/rete-go/rete/bench/gen"
)

// insertion is an INSERT DATA of a new product, the i-th after those of the data set, with offers
// and reviews.
func insertion(c *counts, seed uint64, i int) string {
	var out bytes.Buffer
	g := &generator{Writer: gen.NewWriter(&out, prefix), counts: c, seed: seed}
	number := c.products + i
	g.product(number)
	product := name("Product", number)
	for k := range offersEach {
		n := name("Offer", c.offers+i*offersEach+k)
		s := gen.NewStream(seed, classOffer, uint64(c.offers+i*offersEach+k), 1)
		g.Subject(n)
		g.Type("Offer")
		g.Link("product", product)
		vendor := name("Vendor", s.Below(c.vendors))
		g.Link("vendor", vendor)
		g.offered(n, &s)
		g.published(vendor, days-1)
	}
	for k := range reviewsEach {
		s := gen.NewStream(seed, classReview, uint64(c.reviews+i*reviewsEach+k), 1)
		g.Subject(name("Review", c.reviews+i*reviewsEach+k))
		g.Type("Review")
		g.Link("reviewFor", product)
		person := s.Below(c.people)
		g.Link("reviewer", name("Person", person))
		g.reviewed(&s, languageOf[g.personCountry(person)])
		g.published(name("RatingSite", s.Below(c.sites)), days-1)
	}
	_, _ = g.Close() // a buffer takes everything
	return "INSERT DATA {\n" + out.String() + "}"
}
