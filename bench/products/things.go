package products

import (
	"fmt"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
)

// countries of producers, vendors and people, each of a twentieth of the weight, with the language that is written
// there.
var countries = [20]string{"US", "US", "US", "US", "US", "US", "US", "US", "GB", "GB", "JP", "JP", "CN", "CN", "DE", "FR", "ES", "RU", "KR", "AT"}

var languageOf = map[string]string{"US": "en", "GB": "en", "JP": "ja", "CN": "zh", "DE": "de", "FR": "fr", "ES": "es", "RU": "ru", "KR": "ko", "AT": "de"}

func country(s *gen.Stream) string { return countries[s.Below(len(countries))] }

// about writes a label of up to most words, and a comment.
func (g *generator) about(s *gen.Stream, label, least, most int) {
	g.Plain("label", string(gen.AppendText(nil, s, 1+s.Below(label))))
	g.Plain("comment", string(gen.AppendText(nil, s, least+s.Below(most-least+1))))
}

// published writes by whom, and on which day.
func (g *generator) published(by string, on int) {
	g.Link("publisher", by)
	g.Typed("publishDate", day(on), gen.XSD+"date")
}

func (g *generator) productType(i int) {
	s := g.stream(classType, i)
	g.Subject(name("ProductType", i))
	g.Type("ProductType")
	if p := g.types[i].parent; p >= 0 {
		g.Link("subClassOf", name("ProductType", p))
	}
	g.about(&s, 3, 20, 50)
}

func (g *generator) feature(i int) {
	s := g.stream(classFeature, i)
	g.Subject(name("ProductFeature", i))
	g.Type("ProductFeature")
	g.about(&s, 3, 20, 50)
}

func (g *generator) company(class string, i int, s *gen.Stream) {
	n := name(class, i)
	g.Subject(n)
	g.Type(class)
	g.about(s, 3, 20, 50)
	g.Link("homepage", n+"/")
	g.Link("country", country(s))
}

func (g *generator) producer(i int) {
	s := g.stream(classProducer, i)
	g.company("Producer", i, &s)
}

func (g *generator) vendor(i int) {
	s := g.stream(classVendor, i)
	g.company("Vendor", i, &s)
}

func (g *generator) product(i int) {
	s := g.stream(classProduct, i)
	g.Subject(name("Product", i))
	g.Type("Product")
	leaf := g.leaves[half(&s, len(g.leaves))]
	for t := leaf; t >= 0; t = g.types[t].parent {
		g.Type(name("ProductType", t))
	}
	g.about(&s, 3, 50, 150)
	producer := name("Producer", i/perProducer)
	g.Link("producer", producer)
	for t := leaf; t >= 0; t = g.types[t].parent {
		for f := range g.types[t].n {
			if s.Chance(1, 4) {
				g.Link("productFeature", name("ProductFeature", g.types[t].first+f))
			}
		}
	}
	for k := 1; k <= 3; k++ {
		g.numeric(k, &s)
		g.textual(k, &s)
	}
	g.optional(&s)
	g.published(producer, s.Below(days/3))
}

func (g *generator) numeric(k int, s *gen.Stream) { g.Int(name("numeric", k), 1+half(s, 2000)) }

func (g *generator) textual(k int, s *gen.Stream) {
	g.Plain(name("textual", k), string(gen.AppendText(nil, s, 3+s.Below(13))))
}

// optional writes the properties that not every product has, by its kind.
func (g *generator) optional(s *gen.Stream) {
	some := func(num, den, k int) {
		if s.Chance(num, den) {
			g.numeric(k, s)
		}
		if s.Chance(num, den) {
			g.textual(k, s)
		}
	}
	switch kind := s.Below(5); {
	case kind < 2:
		some(1, 1, 4)
		some(1, 1, 5)
	case kind < 3:
		some(1, 2, 4)
		some(1, 4, 5)
	default:
		some(1, 4, 5)
		some(1, 2, 6)
	}
}

// currency is the datatype of prices.
const currency = prefix + "USD"

func (g *generator) offer(i int) {
	s := g.stream(classOffer, i)
	n := name("Offer", i)
	g.Subject(n)
	g.Type("Offer")
	g.Link("product", name("Product", half(&s, g.products)))
	vendor := name("Vendor", i/perVendor)
	g.Link("vendor", vendor)
	g.offered(n, &s)
	g.published(vendor, days/3+s.Below(days/3))
}

func (g *generator) offered(n string, s *gen.Stream) {
	cents := 500 + s.Below(999_501)
	g.Typed("price", fmt.Sprintf("%d.%02d", cents/100, cents%100), currency)
	from := days/3 + s.Below(days/3)
	g.Typed("validFrom", day(from)+"T00:00:00", gen.XSD+"dateTime")
	g.Typed("validTo", day(from+7+s.Below(84))+"T00:00:00", gen.XSD+"dateTime")
	g.Int("deliveryDays", 1+s.Below(21))
	g.Link("offerWebpage", n+"/")
}

func (g *generator) personCountry(i int) string {
	s := g.stream(classPerson, i)
	return country(&s)
}

func (g *generator) person(i int) {
	s := g.stream(classPerson, i)
	from := country(&s) // first: personCountry
	g.Subject(name("Person", i))
	g.Type("Person")
	g.Plain("name", string(gen.AppendText(nil, &s, 2)))
	g.Plain("mbox_sha1sum", strconv.FormatUint(s.Next(), 16))
	g.Link("country", from)
}

func (g *generator) review(i int) {
	s := g.stream(classReview, i)
	g.Subject(name("Review", i))
	g.Type("Review")
	g.Link("reviewFor", name("Product", half(&s, g.products)))
	person := i / perReviewer
	g.Link("reviewer", name("Person", person))
	g.reviewed(&s, languageOf[g.personCountry(person)])
	g.published(name("RatingSite", i/perRatingSite), 2*days/3+s.Below(days/3))
}

func (g *generator) reviewed(s *gen.Stream, language string) {
	g.Plain("title", string(gen.AppendText(nil, s, 4+s.Below(12))))
	g.Tagged("text", string(gen.AppendText(nil, s, 50+s.Below(151))), language)
	g.Typed("reviewDate", day(2*days/3+s.Below(days/3))+"T00:00:00", gen.XSD+"dateTime")
	for k := 1; k <= 4; k++ {
		if s.Chance(7, 10) {
			g.Int(name("rating", k), 1+s.Below(10))
		}
	}
}
