package ecommerce

import (
	"io"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

// Set returns the data set with about the given number of statements, and its queries: the
// templates and the chains.
func Set(statements int) *workload.Set {
	factor := factorFor(statements)
	return &workload.Set{
		Name:     "ecommerce",
		Prologue: "PREFIX : <" + Prefix + ">\n",
		Queries:  append(append([]workload.Query(nil), Templates...), Chains()...),
		Write: func(w io.Writer) (int, error) {
			stats, err := Generate(w, Options{Factor: factor})
			return stats.Statements, err
		},
		Draw: func(s *gen.Stream, kind string) string {
			return ":" + kind + strconv.Itoa(s.Below(Count(kind, factor)))
		},
	}
}

// Templates are the linear, star, snowflake and complex queries.
var Templates = []workload.Query{
	{Name: "L1", Text: "SELECT * { ?u :subscribes {{Website :Website0}} . ?p :caption ?c . ?u :likes ?p }"},
	{Name: "L2", Text: "SELECT * { {{City :City0}} :parentCountry ?k . ?u :likes :Product0 ; :nationality ?k }"},
	{Name: "L3", Text: "SELECT * { ?u :likes ?p ; :subscribes {{Website :Website0}} }"},
	{Name: "L4", Text: "SELECT * { ?p :tag {{Topic :Topic0}} ; :caption ?c }"},
	{Name: "L5", Text: "SELECT * { ?u :jobTitle ?j . {{City :City0}} :parentCountry ?k . ?u :nationality ?k }"},
	{Name: "S1", Text: "SELECT * { {{Retailer :Retailer0}} :offers ?o . ?o :includes ?p ; :price ?c ; :serialNumber ?n ; :validFrom ?f ; :validThrough ?t ; :eligibleQuantity ?q ; :eligibleRegion ?r ; :priceValidUntil ?v }"},
	{Name: "S2", Text: "SELECT * { ?u :Location ?l ; :nationality {{Country :Country0}} ; :gender ?g ; a :Role2 }"},
	{Name: "S3", Text: "SELECT * { ?p a {{ProductCategory :ProductCategory4}} ; :caption ?c ; :hasGenre ?g ; :publisher ?b }"},
	{Name: "S4", Text: "SELECT * { ?u :age {{AgeGroup :AgeGroup4}} ; :familyName ?f . ?p :artist ?u . ?u :nationality :Country1 }"},
	{Name: "S5", Text: "SELECT * { ?p a {{ProductCategory :ProductCategory2}} ; :description ?d ; :keywords ?k ; :language :Language0 }"},
	{Name: "S6", Text: "SELECT * { ?p :conductor ?u ; a ?t ; :hasGenre {{SubGenre :SubGenre70}} }"},
	{Name: "S7", Text: "SELECT * { ?p a ?t ; :text ?x . {{User :User1}} :likes ?p }"},
	{Name: "F1", Text: "SELECT * { ?g :tag {{Topic :Topic0}} ; a ?t . ?p :trailer ?w ; :keywords ?k ; :hasGenre ?g ; a :ProductCategory2 }"},
	{Name: "F2", Text: "SELECT * { ?p :homepage ?w ; :title ?i ; a ?t ; :caption ?c ; :description ?d ; :hasGenre {{SubGenre :SubGenre70}} . ?w :url ?u ; :hits ?h }"},
	{Name: "F3", Text: "SELECT * { ?p :contentRating ?r ; :contentSize ?s ; :hasGenre {{SubGenre :SubGenre70}} . ?u :makesPurchase ?b . ?b :purchaseDate ?d ; :purchaseFor ?p }"},
	{Name: "F4", Text: "SELECT * { ?p :homepage ?w ; :tag {{Topic :Topic0}} ; :description ?d ; :contentSize ?s . ?o :includes ?p . ?w :url ?a ; :hits ?h ; :language :Language0 . ?u :likes ?p }"},
	{Name: "F5", Text: "SELECT * { {{Retailer :Retailer0}} :offers ?o . ?o :includes ?p ; :price ?c ; :validThrough ?v . ?p :title ?i ; a ?t }"},
	{Name: "C1", Text: "SELECT * { ?p :caption ?c ; :text ?x ; :contentRating ?a ; :hasReview ?r . ?r :title ?t ; :reviewer ?u . ?q :actor ?u ; :language ?l }"},
	{Name: "C2", Text: "SELECT * { ?s :legalName ?n ; :offers ?o . ?o :eligibleRegion :Country5 ; :includes ?p . ?u :jobTitle ?j ; :homepage ?h ; :makesPurchase ?b . ?b :purchaseFor ?p . ?p :hasReview ?r . ?r :totalVotes ?v }"},
	{Name: "C3", Text: "SELECT * { ?u :likes ?p ; :friendOf ?f ; :Location ?l ; :age ?a ; :gender ?g ; :givenName ?n }"},
}

// steps are the patterns after the first ones of each chain.
var steps = [3][]string{
	{"?u :follows ?v", "?v :likes ?p", "?p :hasReview ?r", "?r :reviewer ?w", "?w :friendOf ?x", "?x :makesPurchase ?b", "?b :purchaseFor ?q", "?q :author ?a", "?a :Location ?c", "?c :parentCountry ?k"},
	{"?u :offers ?o", "?o :includes ?p", "?p :hasReview ?r", "?r :reviewer ?w", "?w :friendOf ?x", "?x :makesPurchase ?b", "?b :purchaseFor ?q", "?q :author ?a", "?a :Location ?c", "?c :parentCountry ?k"},
	{"?o :includes ?p", "?p :hasReview ?r", "?r :reviewer ?w", "?w :makesPurchase ?b", "?b :purchaseFor ?q", "?q :author ?a", "?a :likes ?z", "?z :hasGenre ?g", "?g :tag ?t", "?g a ?y"},
}

// Chains are the linear queries of 5 to 10 patterns: from a user, from a retailer, and
// with both ends free. The last ask for the number of rows, since there are very many.
func Chains() []workload.Query {
	var out []workload.Query
	for i, chain := range steps {
		for n := 5; n <= 10; n++ {
			q := workload.Query{Name: "IL-" + strconv.Itoa(i+1) + "-" + strconv.Itoa(n)}
			q.Text = "SELECT * { "
			if i == 2 {
				q.Text = "SELECT (COUNT(*) AS ?n) { "
			}
			for _, s := range chain[:n] {
				q.Text += s + " . "
			}
			switch i {
			case 0:
				q.Text += "VALUES ?u { {{User :User1}} } }"
			case 1:
				q.Text += "VALUES ?u { {{Retailer :Retailer0}} } }"
			case 2:
				q.Text += "}"
			}
			out = append(out, q)
		}
	}
	return out
}
