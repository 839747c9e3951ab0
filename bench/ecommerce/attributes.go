package ecommerce

import (
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

// group is a set of properties that an instance has all or none of.
type group struct {
	class   class
	only    int // the category of a product, or any
	percent int
	write   func(g *generator, s *gen.Stream)
}

// value writes a property.
type value func(g *generator, s *gen.Stream)

func text(p string, least, most int) value {
	return func(g *generator, s *gen.Stream) { g.Text(p, s, least+s.Below(most-least+1)) }
}

func number(p string, least, most int) value {
	return func(g *generator, s *gen.Stream) { g.Int(p, least+s.Below(most-least+1)) }
}

func normal(p string, least, most int) value {
	return func(g *generator, s *gen.Stream) { g.Int(p, least+s.Normal(most-least+1)) }
}

func date(p string) value { return func(g *generator, s *gen.Stream) { g.Date(p, s) } }

// digits is a string of a few digits after a beginning.
func digits(p, before string) value {
	return func(g *generator, s *gen.Stream) { g.Plain(p, before+strconv.Itoa(s.Below(1_000_000_000))) }
}

func have(c class, only, percent int, values ...value) group {
	return group{c, only, percent, func(g *generator, s *gen.Stream) {
		if s.Chance(percent, 100) {
			for _, v := range values {
				v(g, s)
			}
		}
	}}
}

// groups are the groups of every class.
var groups = []group{
	have(product, any, 100, text("title", 2, 6)),
	have(product, any, 60, text("description", 8, 40)),
	have(product, any, 30, number("contentRating", 6, 18)),
	have(product, any, 30, text("keywords", 2, 8)),
	have(product, any, 30, text("text", 10, 60)),
	have(product, any, 10, number("contentSize", 0, 9999)),
	have(product, any, 10, text("caption", 3, 8)),
	have(product, any, 5, date("expires")),
	have(product, 0, 80, number("opus", 1, 200), number("movement", 1, 6)),
	have(product, 0, 50, text("composer", 2, 2)),
	have(product, 0, 50, text("performer", 2, 2)),
	have(product, 1, 50, text("producer", 2, 2)),
	have(product, 1, 50, number("record_number", 1, 9999)),
	have(product, 1, 50, date("release")),
	have(product, 2, 30, number("duration", 0, 500)),
	have(product, 2, 50, text("producer", 2, 2)),
	have(product, 2, 10, text("award", 2, 4)),
	have(product, 2, 10, text("award", 2, 4)),
	have(product, 2, 10, text("award", 2, 4)),
	have(product, 3, 100, digits("isbn", "978")),
	have(product, 3, 50, normal("bookEdition", 1, 6)),
	have(product, 3, 25, normal("numberOfPages", 1, 999)),
	have(product, 4, 80, text("publisher", 1, 3)),
	have(product, 4, 70, date("datePublished")),
	have(product, 4, 20, normal("wordCount", 1, 5000)),
	have(product, 4, 20, number("printColumn", 1, 8), number("printEdition", 1, 4)),
	have(product, 4, 20, number("printPage", 1, 80), number("printSection", 1, 12)),
	have(retailer, any, 100, text("name", 1, 3), text("description", 8, 40)),
	have(retailer, any, 80, text("openingHours", 2, 4)),
	have(retailer, any, 60, text("paymentAccepted", 1, 3)),
	have(retailer, any, 80, digits("email", "shop@")),
	have(retailer, any, 70, digits("telephone", "+")),
	have(retailer, any, 10, digits("faxNumber", "+")),
	have(retailer, any, 40, number("aggregateRating", 1, 10)),
	have(retailer, any, 10, text("legalName", 2, 4)),
	have(offer, any, 100, number("serialNumber", 1, 99_999_999), number("price", 0, 999)),
	have(offer, any, 40, date("validFrom")),
	have(offer, any, 40, date("validThrough")),
	have(offer, any, 20, date("priceValidUntil")),
	have(offer, any, 100, number("eligibleQuantity", 1, 9)),
	have(purchase, any, 100, number("price", 0, 999)),
	have(purchase, any, 30, date("purchaseDate")),
	have(website, any, 100, digits("url", "http://www.site.example/"), number("hits", 0, 10000)),
	have(review, any, 100, number("rating", 0, 10)),
	have(review, any, 30, text("title", 2, 6)),
	have(review, any, 70, text("text", 10, 60)),
	have(review, any, 5, number("totalVotes", 0, 100)),
	have(user, any, 100, number("userId", 1, 99_999_999)),
	have(user, any, 70, text("givenName", 1, 1), text("familyName", 1, 1)),
	have(user, any, 20, date("birthDate")),
	have(user, any, 90, digits("email", "user@")),
	have(user, any, 5, digits("telephone", "+")),
	have(user, any, 5, text("jobTitle", 1, 3)),
}
