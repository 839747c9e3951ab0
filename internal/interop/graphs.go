package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// graph is one that is tried, as N-Quads.
type graph struct {
	name, text string
	words      []string // that are searched
	dir, file  string
}

// allGraphs returns the nine graphs. The real one is a set of shared data, left out without it.
func allGraphs(large int, shared string) ([]graph, error) {
	list := []graph{
		{name: "empty"},
		{name: "one triple", text: "<http://ex/a> <http://ex/p> <http://ex/b> .\n"},
		{name: "named graphs", text: namedGraphs()},
		{name: manyGraphs, text: smallGraphs(), words: []string{"common", "number20"}},
		{name: "blank nodes", text: blankNodes()},
		{name: "literals", text: literals(), words: []string{"plain", "straße"}},
		{name: "triple terms", text: tripleTerms()},
		{name: "generated", text: generated(large), words: []string{"word7", "word3"}},
	}
	if shared == "" {
		return list, nil
	}
	f, err := os.Open(filepath.Join(shared, "data", "real", "fibo", "fibo.nq.gz"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	real, err := halfNamed(b)
	return append(list, graph{name: "real", text: real, words: []string{"bond", "interest"}}), err
}

// halfNamed puts every second quad of a text into the default graph, so that both sides have much.
func halfNamed(text []byte) (string, error) {
	quads, err := surfaces(text)
	var b strings.Builder
	for i, q := range quads {
		if i%2 == 0 {
			q[3] = ""
		}
		fmt.Fprintf(&b, "%s %s %s %s .\n", q[0], q[1], q[2], q[3])
	}
	return b.String(), err
}

func namedGraphs() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 3000 {
		g := ""
		switch i % 5 {
		case 0:
			g = fmt.Sprintf(" <http://ex/g%d>", r.IntN(400))
		case 1:
			g = fmt.Sprintf(" <http://ex/s%d>", r.IntN(30)) // a subject too
		case 2:
			g = " <http://ex/large>"
		case 3:
			g = " _:graph"
		}
		fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p%d> <http://ex/s%d>%s .\n", r.IntN(200), r.IntN(5), r.IntN(90), g)
	}
	return b.String()
}

// manyGraphs names the graph whose files have three orders unless they are asked to have six.
const manyGraphs = "many graphs"

// smallGraphs are 1,500, some with one quad, some with the same ones, some with links between them.
func smallGraphs() string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 1500 {
		g := fmt.Sprintf("<http://ex/m%d>", i)
		if i%50 == 0 {
			g = fmt.Sprintf("_:m%d", i)
		}
		fmt.Fprintf(&b, "%s <http://ex/p> \"number%d common\"@en %s .\n", g, i%40, g)
		for range r.IntN(9) * r.IntN(5) {
			fmt.Fprintf(&b, "<http://ex/m%d> <http://ex/p%d> <http://ex/s%d> %s .\n", (i+r.IntN(3))%1500, r.IntN(3), r.IntN(90), g)
		}
		if i%3 == 0 {
			fmt.Fprintf(&b, "<http://ex/hub> <http://ex/p> <http://ex/s1> %s .\n", g)
		}
		if i%20 == 0 {
			fmt.Fprintf(&b, "<http://ex/a> <http://ex/p> %s .\n%s <http://ex/label> \"number%d common\"@en .\n", g, g, i%40)
		}
	}
	return b.String()
}

func blankNodes() string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "_:b%d <http://ex/next> _:b%d .\n_:b%d <http://ex/n> \"%d\" .\n", i, (i+7)%200, i, i%13)
	}
	return b.String()
}

func literals() string {
	const xsd = "http://www.w3.org/2001/XMLSchema#"
	var b strings.Builder
	for i, l := range []string{
		`"plain text"`, `"plain"@en`, `"plain"@en-gb`, `"straße Ärger"@de`, `"日本語"@ja`, `""`, `" "`,
		`"a \"quoted\" word"`, `"two\nlines"`, `"tab\there"`, `"back\\slash"`, `"\u0001\u007F"`, `"emoji 😀"`,
		`"1"^^<` + xsd + `integer>`, `"01"^^<` + xsd + `integer>`, `"-7.50"^^<` + xsd + `decimal>`, `"1e6"^^<` + xsd + `double>`,
		`"NaN"^^<` + xsd + `double>`, `"INF"^^<` + xsd + `float>`, `"true"^^<` + xsd + `boolean>`, `"not a number"^^<` + xsd + `integer>`,
		`"2024-02-29"^^<` + xsd + `date>`, `"2024-02-29T12:00:00Z"^^<` + xsd + `dateTime>`, `"P1Y"^^<` + xsd + `duration>`,
		`"x"^^<http://ex/own>`, `"abc"@ar--rtl`, `"` + strings.Repeat("long ", 30_000) + `"`,
	} {
		fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p%d> %s .\n", i, i%3, l)
	}
	return b.String()
}

func tripleTerms() string {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "<http://ex/r%d> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://ex/s%d> <http://ex/p> \"v%d\" )>> .\n", i, i%7, i%5)
		fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/p> \"v%d\" .\n", i%7, i%5)
	}
	b.WriteString("<http://ex/n> <http://ex/q> <<( <http://ex/a> <http://ex/p> <<( <http://ex/b> <http://ex/p> <http://ex/c> )>> )>> .\n")
	return b.String()
}

func generated(n int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(2, uint64(n)))
	for i := range n {
		s := r.IntN(n/8 + 1)
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "<http://ex/n%d> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://ex/C%d> .\n", s, s%9)
		case 1:
			fmt.Fprintf(&b, "<http://ex/n%d> <http://ex/knows> <http://ex/n%d> .\n", s, r.IntN(n/8+1))
		case 2:
			fmt.Fprintf(&b, "<http://ex/n%d> <http://ex/label> \"word%d of word%d\"@en .\n", s, r.IntN(500), r.IntN(50))
		default:
			fmt.Fprintf(&b, "<http://ex/n%d> <http://ex/age> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> <http://ex/g%d> .\n", s, r.IntN(90), r.IntN(20))
		}
	}
	return b.String()
}

// queries are asked of every file.
var queries = []string{
	"SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
	"SELECT ?p (COUNT(?o) AS ?n) { ?s ?p ?o } GROUP BY ?p",
	"SELECT DISTINCT ?p { ?s ?p ?o }",
	"SELECT ?s ?o { ?s <http://ex/p> ?o }",
	"SELECT ?s { ?s ?p ?o . ?o ?q ?r }",
	"SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
	"SELECT ?s ?o { GRAPH <http://ex/large> { ?s <http://ex/p1> ?o } }",
	"SELECT ?g ?o { GRAPH ?g { <http://ex/hub> <http://ex/p> ?o } }",
	"SELECT ?g ?s { GRAPH ?g { ?s ?p <http://ex/s1> } }",
	"SELECT ?g ?s ?o { GRAPH ?g { ?s <http://ex/p1> ?o . ?s <http://ex/p2> ?o } }",
	"SELECT ?s ?o { GRAPH <http://ex/m7> { ?s ?p ?o } }",
	"ASK { <http://ex/a> <http://ex/p> <http://ex/b> }",
}
