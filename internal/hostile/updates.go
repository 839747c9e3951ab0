package hostile

import (
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"strings"
)

// update is a row of the table that is an update.
func update(name string, small, size int, body func(int) io.Reader, right ...int) Input {
	if right == nil {
		right = []int{ok, none, memory}
	}
	return Input{Name: name, Path: "/update", Media: "application/sparql-update", Body: body, Small: small, Large: size, Right: append(right, large)}
}

// in puts a text in the place of the predicate, of the victim and of the server of Loads.
func in(text, loads string) string {
	return strings.NewReplacer("MADE", "<"+Predicate+">", "VICTIM", "<"+Victim+">", "LOADS", loads).Replace(text)
}

// updates returns the updates of the table.
func updates(loads string) []Input {
	with := func(text string) func(int) io.Reader {
		parts := strings.SplitN(in(text, loads), "…", 3)
		if len(parts) < 3 {
			return func(int) io.Reader { return strings.NewReader(parts[0]) }
		}
		return list(parts[0], parts[1], parts[2])
	}
	failed := http.StatusBadGateway
	return []Input{
		update("INSERT DATA", 30_000, 1_500_000, with("INSERT DATA {…<urn:s#> MADE # . …}"), ok, none, memory, large),
		update("INSERT DATA with a syntax error at the end", 30_000, 1_500_000, with("INSERT DATA {…<urn:s#> MADE # . …"), bad, memory, large),
		update("INSERT DATA of a literal subject", 10_000, 300_000, with("INSERT DATA {…<urn:s#> MADE # . …'x' MADE 1 }"), bad, memory),
		update("many operations", 3000, 300_000, with("…INSERT DATA { <urn:s#> MADE # };\n…")),
		update("DELETE and INSERT of everything", 0, 0, with("WITH VICTIM DELETE { ?s ?p ?o } INSERT { ?s MADE ?o . ?o MADE2 ?s . ?s ?p ?s } WHERE { ?s ?p ?o FILTER(isIRI(?p)) }"), ok, none, memory, bad),
		update("DELETE of everything", 0, 0, with("DELETE WHERE { GRAPH VICTIM { ?s ?p ?o } }; INSERT { ?a MADE ?c } WHERE { ?a ?b ?c . ?d ?e ?f }")),
		update("INSERT of a cross product", 0, 0, with("INSERT { ?a MADE ?f } WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }")),
		update("INSERT of made texts", 0, 0, with("INSERT { ?s MADE ?x } WHERE { ?s <urn:n> ?o . ?t <urn:t> ?l BIND(CONCAT(?l, STR(?o)) AS ?x) }")),
		update("copies of graphs", 100, 3000, with("…COPY VICTIM TO <urn:hostile:g#>; MOVE <urn:hostile:g#> TO <urn:hostile:h#>; DROP GRAPH <urn:hostile:h#>;\n…")),
		update("graphs that are cleared", 3000, 200_000, with("…CLEAR SILENT GRAPH <urn:g#>;\n…")),
		update("LOAD of an endless document", 0, 0, with("LOAD <LOADS/endless> INTO GRAPH <urn:hostile:load>"), failed, memory, large, bad),
		update("LOAD of a packed document", 0, 0, with("LOAD <LOADS/bomb> INTO GRAPH <urn:hostile:load>"), ok, none, failed, memory, large, bad),
		update("SILENT LOAD of what does not answer", 0, 0, with("LOAD SILENT <LOADS/silent> INTO GRAPH <urn:hostile:load>"), ok, none),
	}
}

// Loads is what the updates of the table load: /endless never ends, /bomb unpacks to 200 MB,
// /silent does not answer.
var Loads = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	line := "<urn:s#> <" + Predicate + "> <urn:o#> .\n"
	w.Header().Set("Content-Type", "application/n-triples")
	switch r.URL.Path {
	case "/endless":
		_, _ = io.Copy(w, repeat(math.MaxInt, line)) // until the client leaves
	case "/bomb":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		_, _ = io.Copy(z, repeat(200<<20/len("<urn:s> <urn:p> \"x\" .\n"), "<urn:s> <"+Predicate+"> \"x\" .\n"))
	case "/silent":
		<-r.Context().Done()
	}
})
