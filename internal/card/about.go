package card

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// About is what somebody has said of a dataset. License, Source and names are IRIs or texts.
type About struct {
	Dataset     string   `json:"dataset,omitempty"` // its IRI
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	License     string   `json:"license,omitempty"`
	Source      string   `json:"source,omitempty"`
	Creators    []string `json:"creators,omitempty"`
	Published   string   `json:"published,omitempty"` // a date
	Version     string   `json:"version,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`

	language string // tag of Title in the data; "" if it has none
}

// Bounds of what is taken over, in bytes; the rest is cut off.
const (
	maxText        = 1 << 10
	maxDescription = 8 << 10
	maxList        = 50 // creators, keywords
)

// Or returns what a says, and where it says nothing what b says.
func (a *About) Or(b About) About {
	list := func(x, y []string) []string {
		if len(x) > 0 {
			return x
		}
		return y
	}
	out := About{
		Dataset: cmp.Or(a.Dataset, b.Dataset), Title: cmp.Or(a.Title, b.Title), Description: cmp.Or(a.Description, b.Description),
		License: cmp.Or(a.License, b.License), Source: cmp.Or(a.Source, b.Source), Creators: list(a.Creators, b.Creators),
		Published: cmp.Or(a.Published, b.Published), Version: cmp.Or(a.Version, b.Version), Keywords: list(a.Keywords, b.Keywords),
	}
	if a.Title == "" {
		out.language = b.language
	}
	return out
}

// words is one text or several, in JSON.
type words []string

func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil // it may be anything
	}
	for _, item := range list {
		var named struct{ Name string }
		if json.Unmarshal(item, &one) == nil {
			*w = append(*w, one)
		} else if json.Unmarshal(item, &named) == nil && named.Name != "" {
			*w = append(*w, named.Name)
		}
	}
	return nil
}

// first is the first of them.
func (w words) first() string {
	if len(w) == 0 {
		return ""
	}
	return w[0]
}

// ParseMetadata reads what the metadata of a segment says. It may be any bytes: what is not understood is
// passed over.
func ParseMetadata(data []byte) About {
	var m struct{ Title, Description, License, Source, Creators, Created, Published, Version, Keywords words }
	if json.Unmarshal(data, &m) != nil {
		return About{}
	}
	a := About{
		Title: m.Title.first(), Description: m.Description.first(), License: m.License.first(), Source: m.Source.first(),
		Creators: m.Creators, Published: cmp.Or(m.Published.first(), m.Created.first()), Version: m.Version.first(), Keywords: m.Keywords,
	}
	a.bound()
	return a
}

// bound cuts what is too long.
func (a *About) bound() {
	for _, text := range []*string{&a.Title, &a.License, &a.Source, &a.Published, &a.Version} {
		*text = cut(*text, maxText)
	}
	a.Description = cut(a.Description, maxDescription)
	for _, list := range []*[]string{&a.Creators, &a.Keywords} {
		*list = slices.DeleteFunc(slices.Clone(*list), func(s string) bool { return strings.TrimSpace(s) == "" })
		*list = (*list)[:min(len(*list), maxList)]
		for i, text := range *list {
			(*list)[i] = cut(text, maxText)
		}
	}
}

// cut shortens a text to n bytes, between characters, and trims it.
func cut(text string, n int) string {
	text = strings.TrimSpace(text)
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// Predicates that say something of a dataset, in the order in which they are believed.
var (
	titles       = []string{"http://purl.org/dc/terms/title", "http://purl.org/dc/elements/1.1/title", "http://schema.org/name", "https://schema.org/name", "http://www.w3.org/2000/01/rdf-schema#label"}
	descriptions = []string{"http://purl.org/dc/terms/description", "http://purl.org/dc/elements/1.1/description", "http://schema.org/description", "https://schema.org/description", "http://www.w3.org/2000/01/rdf-schema#comment"}
	licenses     = []string{"http://purl.org/dc/terms/license", "http://creativecommons.org/ns#license", "http://schema.org/license", "https://schema.org/license", "http://purl.org/dc/terms/rights", "http://purl.org/dc/elements/1.1/rights"}
	sources      = []string{"http://purl.org/dc/terms/source", "http://www.w3.org/ns/prov#wasDerivedFrom", "http://schema.org/isBasedOn", "https://schema.org/isBasedOn", "http://purl.org/dc/elements/1.1/source"}
	creators     = []string{"http://purl.org/dc/terms/creator", "http://schema.org/creator", "https://schema.org/creator", "http://purl.org/dc/elements/1.1/creator", "http://purl.org/dc/terms/publisher"}
	published    = []string{"http://purl.org/dc/terms/issued", "http://schema.org/datePublished", "https://schema.org/datePublished", "http://purl.org/dc/terms/created", "http://purl.org/dc/terms/modified"}
	versions     = []string{"http://www.w3.org/2002/07/owl#versionInfo", "http://www.w3.org/ns/dcat#version", "http://schema.org/version", "https://schema.org/version"}
	keywords     = []string{"http://www.w3.org/ns/dcat#keyword", "http://schema.org/keywords", "https://schema.org/keywords"}
)

// The dataset is looked for by its class, one after the other. A subset of another is not it.
const find = `SELECT DISTINCT ?d ?rank {
  VALUES (?class ?rank) {
    (<http://rdfs.org/ns/void#Dataset> 1) (<http://www.w3.org/ns/dcat#Dataset> 2)
    (<http://schema.org/Dataset> 3) (<https://schema.org/Dataset> 3) (<http://www.w3.org/2002/07/owl#Ontology> 4)
  }
  ?d a ?class FILTER NOT EXISTS { ?whole <http://rdfs.org/ns/void#subset> ?d }
} ORDER BY ?rank LIMIT 3`

// say is what the data says of it, with the names of those that it names.
var say = fmt.Sprintf(`SELECT ?p ?o ?name { VALUES ?p { <%s> } ?d ?p ?o OPTIONAL {
  VALUES ?label { <http://xmlns.com/foaf/0.1/name> <http://schema.org/name> <https://schema.org/name> <http://www.w3.org/2000/01/rdf-schema#label> }
  ?o ?label ?name FILTER(!isLiteral(?o)) } } LIMIT 1000`,
	strings.Join(slices.Concat(titles, descriptions, licenses, sources, creators, published, versions, keywords), "> <"))

// described reads what the data says of the dataset that it is: the one with this IRI, or else the only one
// of its class.
func described(ctx context.Context, ds dataset.Dataset, iri string) (About, error) {
	subject := rdf.IRI(iri)
	if iri == "" {
		var found []rdf.Term
		var ranks []string
		err := each(ctx, ds, find, func(row sparql.Row) {
			found, ranks = append(found, row.At(0)), append(ranks, row.At(1).Value())
		})
		if err != nil || len(found) == 0 || len(found) > 1 && ranks[0] == ranks[1] && found[0] != found[1] {
			return About{}, err // none, or nobody knows which
		}
		subject = found[0]
	}
	said := map[string][]rdf.Term{}
	err := each(ctx, ds, say, func(row sparql.Row) {
		o := row.At(1)
		if name := row.At(2); !name.IsZero() && slices.Contains(creators, row.At(0).Value()) {
			o = name
		}
		said[row.At(0).Value()] = append(said[row.At(0).Value()], o)
	}, sparql.Bind("d", subject))
	if err != nil {
		return About{}, err
	}
	a := About{
		Description: one(said, descriptions).Value(), License: one(said, licenses).Value(), Source: one(said, sources).Value(),
		Creators: all(said, creators), Published: one(said, published).Value(), Version: one(said, versions).Value(), Keywords: all(said, keywords),
	}
	if subject.Kind() == rdf.KindIRI {
		a.Dataset = subject.Value()
	}
	title := one(said, titles)
	a.Title, a.language = title.Value(), title.Language()
	a.bound()
	return a, nil
}

// one returns the value of the first predicate that has one: without a language, in English, or the
// first by its tag, then by its surface.
func one(said map[string][]rdf.Term, predicates []string) rdf.Term {
	rank := func(t rdf.Term) string {
		switch tag := t.Language(); {
		case tag == "":
			return "0"
		case tag == "en" || strings.HasPrefix(tag, "en-"):
			return "1"
		default:
			return "2" + tag
		}
	}
	for _, p := range predicates {
		if list := telling(said[p]); len(list) > 0 {
			return slices.MinFunc(list, func(x, y rdf.Term) int {
				return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.Surface(), y.Surface()))
			})
		}
	}
	return rdf.Term{}
}

// all returns the values of the first predicate that has any, sorted.
func all(said map[string][]rdf.Term, predicates []string) (list []string) {
	for _, p := range predicates {
		for _, t := range telling(said[p]) {
			list = append(list, t.Value())
		}
		if len(list) > 0 {
			slices.Sort(list)
			return slices.Compact(list)
		}
	}
	return nil
}

// telling leaves out what tells people nothing: blank nodes and triple terms.
func telling(list []rdf.Term) []rdf.Term {
	return slices.DeleteFunc(slices.Clone(list), func(t rdf.Term) bool { return t.Kind() != rdf.KindIRI && t.Kind() != rdf.KindLiteral })
}

// each runs a query.
func each(ctx context.Context, ds dataset.Dataset, text string, use func(sparql.Row), opts ...sparql.Option) error {
	q, err := sparql.Parse(text, nil)
	if err != nil {
		return err
	}
	defer q.Close()
	rows, err := sparql.Select(ctx, ds, q, opts...)
	if err != nil {
		return err
	}
	for row, err := range rows.All() {
		if err != nil {
			return err
		}
		use(row)
	}
	return nil
}
