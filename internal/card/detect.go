package card

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// How many values of how many predicates are read.
const (
	sampledPredicates = 100
	sampledValues     = 8
)

// detect reads some values of the predicates with the most triples.
func (c *Card) detect(ctx context.Context, ds dataset.Dataset) error {
	var names []string
	var list strings.Builder
	for _, p := range c.predicates[:min(len(c.predicates), sampledPredicates)] {
		if iri, ok := iriOf(p.Name); ok {
			names = append(names, iri)
			list.WriteString(" " + p.Name)
		}
	}
	values := map[string][]rdf.Term{}
	text := fmt.Sprintf("SELECT ?p ?o { VALUES ?p {%s } LATERAL { SELECT ?p ?o { ?s ?p ?o } LIMIT %d } }", list.String(), sampledValues)
	err := each(ctx, ds, text, func(row sparql.Row) {
		values[row.At(0).Value()] = append(values[row.At(0).Value()], row.At(1))
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		every := func(test func(rdf.Term) bool) bool {
			return len(values[name]) > 0 && !slices.ContainsFunc(values[name], func(t rdf.Term) bool { return !test(t) })
		}
		switch last := strings.ToLower(local(name)); {
		case every(isTime):
			c.Times = append(c.Times, name)
		case every(isPlace), slices.Contains(placePredicates, name), slices.Contains(placeNames, last) && every(isNumber):
			c.Places = append(c.Places, name)
		case slices.Contains(labelPredicates, name), slices.Contains(labelNames, last) && every(isText):
			c.Labels = append(c.Labels, name)
		}
	}
	slices.SortStableFunc(c.Labels, func(x, y string) int { return cmp.Compare(rank(x), rank(y)) })
	return nil
}

// rank puts the label predicates that are known before others.
func rank(name string) int {
	if i := slices.Index(labelPredicates, name); i >= 0 {
		return i
	}
	return len(labelPredicates)
}

// Predicates that are known, and local names of others.
var (
	labelPredicates = []string{
		"http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/2004/02/skos/core#prefLabel", "http://xmlns.com/foaf/0.1/name",
		"http://purl.org/dc/terms/title", "http://purl.org/dc/elements/1.1/title", "http://schema.org/name", "https://schema.org/name",
	}
	labelNames      = []string{"name", "label", "title", "preflabel"}
	placePredicates = []string{
		"http://www.w3.org/2003/01/geo/wgs84_pos#lat", "http://www.w3.org/2003/01/geo/wgs84_pos#long", "http://www.georss.org/georss/point",
		"http://schema.org/latitude", "http://schema.org/longitude", "https://schema.org/latitude", "https://schema.org/longitude",
	}
	placeNames = []string{"lat", "long", "latitude", "longitude"}
)

func isTime(t rdf.Term) bool {
	switch strings.TrimPrefix(t.Datatype(), rdf.XSD) {
	case "date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth", "time":
		return true
	}
	return false
}

// isPlace: a geometry of GeoSPARQL.
func isPlace(t rdf.Term) bool {
	return strings.HasPrefix(t.Datatype(), "http://www.opengis.net/ont/geosparql#")
}

func isNumber(t rdf.Term) bool {
	switch strings.TrimPrefix(t.Datatype(), rdf.XSD) {
	case "decimal", "double", "float", "integer":
		return true
	}
	return false
}

func isText(t rdf.Term) bool {
	return t.Kind() == rdf.KindLiteral && (t.Datatype() == rdf.XSD+"string" || t.Language() != "")
}
