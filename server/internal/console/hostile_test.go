package console_test

import (
	"net/url"
	"testing"
)

// TestHostile: nothing of the data, of a link and of an error runs, in any view; and no link leads to
// a script.
func TestHostile(t *testing.T) {
	s := serve(t, nil, `INSERT DATA { <javascript:window.ran=1> a <javascript:window.ran=2> ; <javascript:window.ran=3> "<script>window.ran=4</script>", "<img src=x onerror=window.ran=5>" }`,
		`INSERT DATA { <javascript:window.ran=1> <javascript:window.ran=3> "\"><svg onload=window.ran=6>"@en-x-script, "javascript:window.ran=7"^^<javascript:window.ran=8>, <data:text/html,%3Cscript%3Ewindow.ran=9%3C/script%3E> .
		<http://example.org/'onmouseover='window.ran=10'> <javascript:window.ran=3> "${window.ran=11}{{window.ran=12}}" . GRAPH <javascript:window.ran=13> { <javascript:window.ran=1> a <javascript:window.ran=2> } }`)
	p := open(t, s, "/#/query?query="+url.QueryEscape(`SELECT * { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } } #<script>window.ran=20</script>`))
	quiet := func() {
		t.Helper()
		var ran *int
		if p.eval("window.ran ?? null", &ran); ran != nil {
			t.Fatalf("script %d ran", *ran)
		}
		p.until("[...document.querySelectorAll('[href], [src], [action]')].every((e) => !/^(javascript|data:text)/i.test((e.href ?? e.src ?? e.action).toString().trim()))")
		p.until("!document.querySelector('main script, main img, main svg, main iframe')")
	}
	p.click("#run", "")
	p.has("#count", "8 rows")
	for _, tab := range []string{"Graph", "Raw", "Table"} {
		p.click("[role=tab]", tab)
		quiet()
	}
	p.has(".table .rows", "<script>window.ran=4</script>")
	p.paste("SELECT * { ?s ?p ?o } <script>")
	p.click("#run", "")
	p.has("[role=alert]", `found "<script>"`)
	quiet()
	p.paste("SELECT * { ?s ?p ?o } LIMIT '<img src=x onerror=window.ran=22>'")
	p.click("#run", "")
	p.has("[role=alert]", "img")
	quiet()
	p.paste("SELECT * { ?s ?p ?o FILTER(CONTAINS(STR(?o), \"<script>window.ran=23</script>\")) }")
	p.click("#analyze", "")
	p.has(".tree", "<script>")
	quiet()
	p.click("nav a", "Data")
	p.has(".entries", "javascript:window.ran=2")
	p.has(".entries", "javascript:window.ran=13")
	quiet()
	p.click(".entries a", "javascript:window.ran=2")
	p.has("#resource", "javascript:window.ran=2")
	p.click(".table .rows a", "javascript:window.ran=1")
	p.has(".table .rows", "onload")
	quiet()
	p.click("nav a", "History")
	p.click("[data-generation='2'] input[name=from]", "")
	p.click("[data-generation='3'] input[name=to]", "")
	p.click("#compare", "")
	p.has("#differences .table", "javascript:window.ran=13")
	quiet()
	q := open(t, s, "/#/resource?iri="+url.QueryEscape(`javascript:window.ran=24`)+"&x=<script>window.ran=25</script>")
	q.has("#resource", "javascript:window.ran=24")
	q.until("window.ran === undefined")
}
