package products

import (
	"fmt"
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

const prologue = "PREFIX : <" + prefix + ">\nPREFIX xsd: <" + gen.XSD + ">\n"

// Set returns the data set with about the given number of statements, with the queries of the shop
// and those of the analyst, and the updates.
func Set(statements int) *workload.Set {
	n := productsFor(statements)
	c := countsFor(n, 0)
	of := func(s *gen.Stream, kind string, n int) string { return ":" + kind + strconv.Itoa(s.Below(n)) }
	return &workload.Set{
		Name:     "products",
		Prologue: prologue,
		Queries:  append(append([]workload.Query(nil), explore...), analyse...),
		Mix:      mix,
		Update:   func(name string, seed uint64, i int) string { return update(c, name, seed, i) },
		Write: func(w io.Writer) (int, error) {
			stats, err := Generate(w, Options{Products: n})
			return stats.Statements, err
		},
		Draw: func(s *gen.Stream, kind string) string {
			switch kind {
			case "type":
				return of(s, "ProductType", len(c.types))
			case "feature": // of the root, so that products of every type may have it
				return of(s, "ProductFeature", featuresOfRoot)
			case "product":
				return of(s, "Product", c.products)
			case "producer":
				return of(s, "Producer", c.producers)
			case "offer":
				return of(s, "Offer", c.offers)
			case "review":
				return of(s, "Review", c.reviews)
			case "country":
				return ":" + country(s)
			case "number":
				return strconv.Itoa(1 + half(s, 500))
			}
			return `"` + day(days/3+s.Below(days/3)) + `T00:00:00"^^xsd:dateTime` // date
		},
	}
}

// mix is the order of the queries of the shop in which it is asked, with updates between them.
var mix = []string{
	"E1", "E2", "E2", "U1", "E3", "E2", "E2", "E4", "E2", "E2", "U2", "E5", "E7", "E7", "E5", "E7", "U1", "E7", "E8", "E9", "E9", "E8",
	"U2", "E9", "E9", "E10", "E10", "U2", "E11", "E12",
}

// explore are the queries of pages of a shop.
var explore = []workload.Query{
	{Name: "E1", Text: `SELECT DISTINCT ?p ?l { ?p :label ?l ; a {{type :ProductType1}} ; :productFeature {{feature :ProductFeature0}} , {{feature :ProductFeature1}} ;
  :numeric1 ?v . FILTER(?v > {{number 100}}) } ORDER BY ?l ?p LIMIT 10`},
	{Name: "E2", Text: `SELECT * { BIND({{product :Product0}} AS ?p) ?p :label ?l ; :comment ?c ; :producer ?r . ?r :label ?m . ?p :publisher ?r ;
  :productFeature ?f . ?f :label ?g . ?p :textual1 ?t1 ; :textual2 ?t2 ; :textual3 ?t3 ; :numeric1 ?n1 ; :numeric2 ?n2 .
  OPTIONAL { ?p :textual4 ?t4 } OPTIONAL { ?p :textual5 ?t5 } OPTIONAL { ?p :numeric4 ?n4 } }`},
	{Name: "E3", Text: `SELECT ?p ?l { ?p :label ?l ; a {{type :ProductType1}} ; :productFeature {{feature :ProductFeature0}} ; :numeric1 ?v ; :numeric3 ?w .
  FILTER(?v > {{number 100}} && ?w < 1500) OPTIONAL { ?p :productFeature {{feature :ProductFeature1}} ; :label ?o } FILTER(!BOUND(?o)) } ORDER BY ?l ?p LIMIT 10`},
	{Name: "E4", Text: `SELECT DISTINCT ?p ?l ?t {
  { ?p :label ?l ; a {{type :ProductType1}} ; :productFeature {{feature :ProductFeature0}} , {{feature :ProductFeature1}} ; :textual1 ?t ; :numeric1 ?v FILTER(?v > {{number 50}}) } UNION
  { ?p :label ?l ; a {{type :ProductType2}} ; :productFeature {{feature :ProductFeature0}} , {{feature :ProductFeature2}} ; :textual1 ?t ; :numeric2 ?v FILTER(?v > {{number 60}}) }
} ORDER BY ?l ?p ?t OFFSET 5 LIMIT 10`},
	{Name: "E5", Text: `SELECT DISTINCT ?p ?l { BIND({{product :Product0}} AS ?q) ?q :productFeature ?f ; :numeric1 ?a ; :numeric2 ?b . ?p :productFeature ?f ; :label ?l ;
  :numeric1 ?c ; :numeric2 ?d FILTER(?p != ?q && ?c < ?a + 120 && ?c > ?a - 120 && ?d < ?b + 170 && ?d > ?b - 170) } ORDER BY ?l ?p LIMIT 5`},
	{Name: "E7", Text: `SELECT * { BIND({{product :Product0}} AS ?p) ?p :label ?l
  OPTIONAL { ?o :product ?p ; :price ?c ; :vendor ?v . ?v :label ?n ; :country :DE . ?o :publisher ?v ; :validTo ?d FILTER(?d > {{date "2008-06-01T00:00:00"^^xsd:dateTime}}) }
  OPTIONAL { ?r :reviewFor ?p ; :reviewer ?u ; :title ?t . ?u :name ?w OPTIONAL { ?r :rating1 ?r1 } OPTIONAL { ?r :rating2 ?r2 } } }`},
	{Name: "E8", Text: `SELECT ?t ?x ?d ?u ?n ?r1 ?r2 ?r3 ?r4 { ?r :reviewFor {{product :Product0}} ; :title ?t ; :text ?x ; :reviewDate ?d ; :reviewer ?u . ?u :name ?n
  FILTER(LANGMATCHES(LANG(?x), "EN")) OPTIONAL { ?r :rating1 ?r1 } OPTIONAL { ?r :rating2 ?r2 } OPTIONAL { ?r :rating3 ?r3 } OPTIONAL { ?r :rating4 ?r4 } }
ORDER BY DESC(?d) ?t ?x LIMIT 20`},
	{Name: "E9", Text: `DESCRIBE ?x { {{review :Review0}} :reviewer ?x }`},
	{Name: "E10", Text: `SELECT DISTINCT ?o ?c { ?o :product {{product :Product0}} ; :vendor ?v ; :deliveryDays ?d ; :price ?c ; :validTo ?e . ?v :country :US
  FILTER(?d <= 3 && ?e > {{date "2008-06-01T00:00:00"^^xsd:dateTime}}) } ORDER BY xsd:double(STR(?c)) ?o LIMIT 10`},
	{Name: "E11", Text: `SELECT ?k ?v ?w { { {{offer :Offer0}} ?k ?v } UNION { ?w ?k {{offer :Offer0}} } }`},
	{Name: "E12", Text: `CONSTRUCT { ?o :x-product ?l ; :x-vendor ?n ; :x-price ?c ; :x-days ?d ; :x-until ?e ; :x-page ?w }
{ BIND({{offer :Offer0}} AS ?o) ?o :product ?p ; :vendor ?v ; :price ?c ; :deliveryDays ?d ; :validTo ?e ; :offerWebpage ?w . ?p :label ?l . ?v :label ?n }`},
}

// analyse are the queries of business intelligence.
var analyse = []workload.Query{
	{Name: "B1", Text: `SELECT ?t (COUNT(?r) AS ?n) { ?p a ?t ; :producer/:country {{country :US}} . ?t a :ProductType . ?r :reviewFor ?p ; :reviewer/:country {{country :GB}} }
GROUP BY ?t ORDER BY DESC(?n) ?t LIMIT 10`},
	{Name: "B2", Text: `SELECT ?o (COUNT(?g) AS ?n) { {{product :Product0}} :productFeature ?f . ?o a :Product ; :productFeature ?g
  FILTER(?f = ?g && ?o != {{product :Product0}}) } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 10`},
	{Name: "B3", Text: `SELECT ?p (xsd:double(?after) / ?before AS ?growth) {
  { SELECT ?p (COUNT(?r) AS ?after) { ?r :reviewFor ?p ; :reviewDate ?d FILTER(?d >= "2009-07-01T00:00:00"^^xsd:dateTime && ?d < "2009-10-01T00:00:00"^^xsd:dateTime) } GROUP BY ?p }
  { SELECT ?p (COUNT(?r) AS ?before) { ?r :reviewFor ?p ; :reviewDate ?d FILTER(?d >= "2009-04-01T00:00:00"^^xsd:dateTime && ?d < "2009-07-01T00:00:00"^^xsd:dateTime) }
    GROUP BY ?p HAVING(COUNT(?r) > 1) } } ORDER BY DESC(?growth) ?p LIMIT 10`},
	{Name: "B4", Text: `SELECT ?f (?with / ?without AS ?ratio) {
  { SELECT ?f (AVG(xsd:double(STR(?c))) AS ?with) { ?p a {{type :ProductType1}} ; :productFeature ?f . ?o :product ?p ; :price ?c } GROUP BY ?f }
  { SELECT ?f (AVG(xsd:double(STR(?c))) AS ?without) { { SELECT DISTINCT ?f { ?q a {{type :ProductType1}} ; :productFeature ?f } }
    ?p a {{type :ProductType1}} . ?o :product ?p ; :price ?c FILTER NOT EXISTS { ?p :productFeature ?f } } GROUP BY ?f } } ORDER BY DESC(?ratio) ?f LIMIT 10`},
	{Name: "B5", Text: `SELECT ?k ?p ?n ?a {
  { SELECT ?k (MAX(?m) AS ?n) { { SELECT ?k ?q (COUNT(?r) AS ?m) { ?r :reviewFor ?q ; :reviewer/:country ?k } GROUP BY ?k ?q } } GROUP BY ?k }
  { SELECT ?k ?p (COUNT(?r) AS ?n) { ?r :reviewFor ?p ; :reviewer/:country ?k } GROUP BY ?k ?p }
  { SELECT ?p (AVG(xsd:double(STR(?c))) AS ?a) { ?o :product ?p ; :price ?c } GROUP BY ?p } } ORDER BY DESC(?n) ?k ?p`},
	{Name: "B6", Text: `SELECT ?u (AVG(?v) AS ?a) {
  { SELECT (AVG(?w) AS ?all) { ?q :producer {{producer :Producer0}} . ?s :reviewFor ?q { ?s :rating1 ?w } UNION { ?s :rating2 ?w } UNION { ?s :rating3 ?w } UNION { ?s :rating4 ?w } } }
  ?p :producer {{producer :Producer0}} . ?r :reviewFor ?p ; :reviewer ?u
  { ?r :rating1 ?v } UNION { ?r :rating2 ?v } UNION { ?r :rating3 ?v } UNION { ?r :rating4 ?v }
} GROUP BY ?u HAVING(AVG(?v) > 1.5 * AVG(?all)) ORDER BY ?u`},
	{Name: "B7", Text: `SELECT ?p { { SELECT ?p (COUNT(?o) AS ?n) { ?p a {{type :ProductType1}} . ?o :product ?p } GROUP BY ?p ORDER BY DESC(?n) ?p LIMIT 1000 }
  FILTER NOT EXISTS { ?x :product ?p ; :vendor/:country {{country :AT}} } } ORDER BY ?p`},
	{Name: "B8", Text: `SELECT ?v (xsd:double(?below) / ?n AS ?ratio) {
  { SELECT ?v (COUNT(?o) AS ?below) { { SELECT ?p (AVG(xsd:double(STR(?c))) AS ?a) { ?q :product ?p ; :price ?c } GROUP BY ?p }
    ?o :product ?p ; :vendor ?v ; :price ?d FILTER(xsd:double(STR(?d)) < ?a) } GROUP BY ?v }
  { SELECT ?v (COUNT(?o) AS ?n) { ?o :vendor ?v } GROUP BY ?v } } ORDER BY DESC(?ratio) ?v`},
}

// update returns update number i: U1 inserts a product with offers and reviews, U2 deletes what is
// said of an offer.
func update(c *counts, which string, seed uint64, i int) string {
	if which == "U2" {
		s := gen.NewStream(seed, classOffer, uint64(i), 2)
		return prologue + fmt.Sprintf("DELETE WHERE { :Offer%d ?p ?o }", s.Below(c.offers))
	}
	return insertion(c, seed, i)
}
