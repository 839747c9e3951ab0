package parse_test

import (
	"testing"

	"github.com/rete-go/rete/sparql/internal/parse"
)

// tenPatterns is a query of ten triple patterns, as people write them.
const tenPatterns = `PREFIX up: <http://purl.uniprot.org/core/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX taxon: <http://purl.uniprot.org/taxonomy/>
SELECT DISTINCT ?protein ?name ?gene ?text
WHERE {
  ?protein a up:Protein ;
    up:organism taxon:9606 ;
    up:recommendedName ?n ;
    up:encodedBy ?gene ;
    up:annotation ?annotation .
  ?n up:fullName ?name .
  ?gene <http://www.w3.org/2004/02/skos/core#prefLabel> ?label .
  ?annotation a up:Disease_Annotation ;
    up:disease ?disease ;
    rdfs:comment ?text .
  FILTER (CONTAINS(?text, "cancer") && STRLEN(?label) > 3)
}
ORDER BY ?name
LIMIT 100`

func BenchmarkParseTenPatterns(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(tenPatterns)))
	for b.Loop() {
		if _, err := parse.Query(tenPatterns, nil); err != nil {
			b.Fatal(err)
		}
	}
}
