package console_test

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/rete-go/rete/server"
)

// people is a small graph.
const people = `PREFIX ex: <http://example.org/> PREFIX foaf: <http://xmlns.com/foaf/0.1/>
INSERT DATA {
  ex:ann a foaf:Person ; foaf:name "Ann" ; foaf:age 41 ; foaf:knows ex:bob, ex:cyd .
  ex:bob a foaf:Person ; foaf:name "Bob"@en ; foaf:age 35 ; ex:worksFor ex:acme .
  ex:cyd a foaf:Person ; foaf:name "Cyd" ; foaf:age 29 ; foaf:knows ex:ann .
  ex:acme a ex:Company ; foaf:name "ACME" .
  GRAPH ex:g { ex:dan foaf:name "Dan" }
}`

// TestAsk: a query is written with completion, which declares the prefix that it uses, and run by keys.
func TestAsk(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	p.write("SELECT ?name WHERE { ?who foaf:na")
	p.click(".cm-tooltip-autocomplete li", "foaf:name")
	p.has(".cm-content", "foaf:name")
	p.press(" ?name }")
	p.shot("ask")
	p.click("#run", "")
	p.has("#count", "4 rows")
	p.has(".table .rows", "Ann")
	p.shot("table")
}

// TestMend: a syntax error is marked at its place, with its message; the way there is a button, and
// once it is mended the query runs.
func TestMend(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	p.paste("SELECT ?name WHERE {\n  ?who foaf:name ?name\n} LIMT 3")
	p.has(".cm-lintRange-error", "LIMT") // while it is written
	p.click("#run", "")
	p.has("[role=alert]", "LIMT")
	p.shot("error")
	p.click("#to-error", "line 3, column 3")
	p.press(kb.Delete + kb.Delete + kb.Delete + kb.Delete + "LIMIT")
	p.until("!document.querySelector('.cm-lintRange-error')")
	p.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.has("#count", "3 rows")
}

// TestDownload: an answer is downloaded as CSV, and has the bytes that the server sends.
func TestDownload(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	p.ask("SELECT ?name ?age { ?who foaf:name ?name ; foaf:age ?age } ORDER BY ?age", "3 rows")
	p.click("#download", "")
	p.has("#status", "downloaded")
	if got, want := p.downloaded("answer.csv"), "name,age\r\nCyd,29\r\nBob,35\r\nAnn,41\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.click("[role=tab]", "Raw")
	p.has("#raw-text", "Cyd,29")
	p.ask("CONSTRUCT { ?who foaf:age ?age } { ?who foaf:age ?age }", "3 statements")
	p.choose("#download-format", "ntriples")
	p.click("#download", "")
	p.has("#status", "downloaded")
	if got := p.downloaded("answer.nt"); strings.Count(got, "\n") != 3 || !strings.Contains(got, `<http://example.org/bob> <http://xmlns.com/foaf/0.1/age> "35"^^`) {
		t.Errorf("N-Triples: %s", got)
	}
}

// TestManyRows: a table of 100,000 rows scrolls, sorts, and has no more than a page of them in the document.
func TestManyRows(t *testing.T) {
	p := open(t, serve(t, nil), "/")
	p.ask("SELECT (?a * 1000 + ?b * 100 + ?c AS ?n) { VALUES ?a { "+numbers(100)+" } VALUES ?b { "+numbers(10)+" } VALUES ?c { "+numbers(100)+" } }", "100,000 rows")
	first := "document.querySelector('.table .rows .row [role=cell]').textContent === '%d'"
	for _, want := range []int{0, 99_999} {
		p.click(".head button", "n")
		p.until(fmt.Sprintf(first, want))
	}
	p.eval("document.querySelector('.table').scrollTop = 1e9", new(float64))
	p.until("[...document.querySelectorAll('.table .rows .row')].at(-1).textContent === '1000000'") // the number of the row, and 0
	var inPage, height int
	p.eval("document.querySelectorAll('.table .row').length", &inPage)
	p.eval("document.querySelector('.table').scrollHeight", &height)
	if inPage > 100 || height < 100_000*28 {
		t.Errorf("%d rows are in the page, which is %d pixels high", inPage, height)
	}
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, i, " ")
	}
	return b.String()
}

// TestKept: tabs, texts that ran and links last.
func TestKept(t *testing.T) {
	s := serve(t, nil, people)
	p := open(t, s, "/#/query?query="+url.QueryEscape("ASK { ?s ?p 'Ann' }"))
	p.has(".cm-content", "ASK")
	p.until("!document.querySelector('#count')") // a link is not run by itself
	p.click("#run", "")
	p.has("#count", "Yes")
	p.click("#new-tab", "")
	p.ask("ASK { ?s ?p 'Nobody' }", "No")
	p.click("#link", "")
	p.has("#status", "link")
	p.do(chromedp.Reload())
	p.has(".cm-content", "Nobody")
	p.click("[role=tab]", "Ann")
	p.has(".cm-content", "Ann")
	p.choose("#past", "0")
	p.has(".cm-content", "Nobody")
}

// TestLogin: a server with tokens asks for one; a wrong one is refused, a right one lets in, and it
// ends with the way out.
func TestLogin(t *testing.T) {
	p := open(t, serve(t, &server.Options{Tokens: tokens(t, "ann", "read", "secret")}, people), "/")
	p.has("#locked", "wants a token")
	p.shot("login")
	p.click("#login", "")
	p.press("wrong\r")
	p.has("#status", "not known")
	p.click("#login", "")
	p.press("secret\r")
	p.has(".account", "ann (read)")
	p.until("!/Load|Running/.test(document.querySelector('nav').textContent)") // it may not
	p.click("#run", "")
	p.has("#count", "rows")
	p.click("#logout", "")
	p.has("#locked", "wants a token")
}

// tokens are those of a file with one token.
func tokens(t *testing.T, name, scope, secret string) *server.Tokens {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, fmt.Appendf(nil, "%s %s %x\n", name, scope, sha256.Sum256([]byte(secret))), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := server.OpenTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestResource: from the data at a glance to a resource, its neighbours as a graph, and on to one of them.
func TestResource(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	p.click("nav a", "Data")
	p.has("#totals", "16 quads, 15 in the default graph, 1 named graph")
	p.has(".entries", "foaf:Person")
	p.until("document.querySelector('.graph')?.dataset.ready")
	p.shot("data")
	p.click(".entries a", "foaf:Person")
	p.has("#resource", "foaf:Person")
	p.click(".table .rows a", "ann")
	p.has("#resource", "ann")
	p.until("document.querySelector('.graph')?.dataset.ready")
	p.shot("resource")
	var texts []string
	p.eval("document.querySelector('.graph').graph.nodes().map((n) => n.data('text'))", &texts)
	for _, want := range []string{"Ann", "41", "foaf:Person"} {
		if !slices.Contains(texts, want) {
			t.Errorf("the graph of Ann has %q, not %s", texts, want)
		}
	}
	bob := "((g) => { if (!g?.graph) return null; g.scrollIntoView(); const box = g.getBoundingClientRect(); const n = g.graph.nodes().filter((n) => n.data('text').includes('bob')).renderedPosition(); return [box.x + n.x, box.y + n.y] })(document.querySelector('.graph'))"
	for range 10 { // a click while the drawing takes its events meets nothing
		var there bool
		p.clickAt(bob)
		p.eval(`new Promise((done) => setTimeout(() => done(location.hash.includes('bob')), 100))`, &there)
		if there {
			break
		}
	}
	p.has("#resource", "bob")
	p.has(".table", "worksFor")
}

// TestLoad: files are loaded with progress; one with an error says where, and changes nothing.
func TestLoad(t *testing.T) {
	s := serve(t, nil)
	p := open(t, s, "/")
	dir := t.TempDir()
	var files []string
	for _, f := range [][2]string{
		{"good.ttl", "<http://example.org/a> <http://example.org/p> 1, 2 ."},
		{"bad.ttl", "<http://example.org/b> <http://example.org/p> 1 .\n<http://example.org/b> oops ."},
		{"two.nq", "<http://example.org/c> <http://example.org/p> <http://example.org/d> <http://example.org/g> .\n"},
		{"no.pdf", ""},
	} {
		file := filepath.Join(dir, f[0])
		if err := os.WriteFile(file, []byte(f[1]), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	p.click("nav a", "Load")
	p.do(chromedp.SetUploadFiles("#files", files))
	p.until("document.querySelectorAll('#loads p').length === 4 && ![...document.querySelectorAll('#loads')].some((e) => /waits|sent|being/.test(e.textContent))")
	p.shot("load")
	p.has("#loads", "good.ttlloaded")
	p.has("#loads", "two.nqloaded")
	p.has("#loads .failed", "2:")
	p.has("#loads .failed", "not read here")
	// Two files in place of a graph are both there, and what was there is not.
	for name, text := range map[string]string{"x.ttl": "<http://example.org/x> <http://example.org/p> 1 .", "y.ttl": "<http://example.org/y> <http://example.org/p> 1, 2 ."} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p.click("#load-replace", "")
	p.do(chromedp.SetUploadFiles("#files", []string{files[1], filepath.Join(dir, "x.ttl"), filepath.Join(dir, "y.ttl")}))
	p.has("#loads", "y.ttlloaded")
	p.click("nav a", "Data")
	p.has("#totals", "4 quads, 3 in the default graph, 1 named graph")
}

// TestHistory: two generations are compared, and the earlier one is brought back.
func TestHistory(t *testing.T) {
	s := serve(t, nil, people, `PREFIX ex: <http://example.org/> DELETE WHERE { ex:ann ?p ?o }; INSERT DATA { ex:eve ex:p 1 }`)
	p := open(t, s, "/")
	p.click("nav a", "History")
	p.has("[data-generation='3'] .counts", "+1 −5")
	p.has("[data-generation='2'] .counts", "+16 −0")
	p.click("[data-generation='2'] input[name=from]", "")
	p.click("[data-generation='3'] input[name=to]", "")
	p.click("#compare", "")
	p.until("!document.body.innerText.includes('null') && !document.body.innerText.includes('undefined')")
	p.has("#differences", "From generation 2 to generation 3 +1 −5")
	p.has("#differences .table", "eve")
	p.shot("history")
	p.click("[data-generation='2'] a", "Query")
	p.has("#generation", "asks generation 2")
	p.ask("ASK { <http://example.org/ann> ?p ?o }", "Yes")
	p.click("nav a", "History")
	p.click("[data-generation='2'] a", "Data")
	p.has("#totals", "generation 2")
	p.click(".entries a", "foaf:Person")
	p.has("#resource", "generation 2")
	p.has(".table .rows", "ann")
	p.click(".table .rows a", "ann") // who is gone since
	p.has("#resource", "ann — generation 2")
	p.has(".table .rows", "41")
	p.click("nav a", "History")
	p.click("[data-generation='2'] button", "Revert")
	p.has("dialog", "+5 −1")
	p.click("#revert", "")
	p.has("#status", "Generation 4 is generation 2 again")
	p.has("[data-generation='4'] .counts", "+5 −1")
	if n := s.count(t); n != 16 {
		t.Errorf("there are %d quads again", n)
	}
}

// TestSlow: the plan of a query that runs is read, and the query ended; its tab says so.
func TestSlow(t *testing.T) {
	s := serve(t, nil, people)
	p := open(t, s, "/")
	const slow = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o . ?p ?q ?r . ?s ?t ?u FILTER(STRLEN(CONCAT(STR(?c), STR(?f), STR(?i), STR(?l), STR(?o), STR(?r), STR(?u))) > 1000) }"
	p.paste(slow)
	p.click("#run", "")
	p.has(".busy", "Running")
	p.click("nav a", "Running")
	p.has(".running pre", "STRLEN")
	p.has(".running .facts", "running")
	p.shot("running")
	p.click("nav a", "Query")
	p.click("#new-tab", "")
	p.paste(slow)
	p.click("#explain", "")
	p.has(".tree", "expected")
	p.shot("plan")
	p.click("nav a", "Running")
	p.click(".running button", "End")
	p.has(".running", "Nothing runs")
	p.click("nav a", "Query")
	p.click("[role=tab]", "SELECT")
	p.has("[role=alert]", "ended by an administrator")
}

// TestViews: an answer is seen as a graph and as a chart.
func TestViews(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	p.ask("SELECT ?name ?age { ?who foaf:name ?name ; foaf:age ?age } ORDER BY ?age", "3 rows")
	p.click("[role=tab]", "Chart")
	p.until("document.querySelector('.chart')?.dataset.values === '3'")
	p.shot("chart")
	p.choose("#chart-kind", "line")
	p.until("document.querySelector('.chart canvas')")
	p.ask("CONSTRUCT WHERE { ?a foaf:knows ?b }", "3 statements")
	p.click("[role=tab]", "Graph")
	p.until("document.querySelector('.graph')?.graph.edges().length === 3")
}

// TestUpdate: an update shows what it would change before it is sent; where the data has moved in
// between, it is shown again.
func TestUpdate(t *testing.T) {
	s := serve(t, nil, people)
	p := open(t, s, "/")
	p.paste("PREFIX ex: <http://example.org/> PREFIX foaf: <http://xmlns.com/foaf/0.1/> DELETE { ?who foaf:age ?age } INSERT { ?who ex:old true } WHERE { ?who foaf:age ?age FILTER(?age > 30) }")
	p.click("#run", "")
	p.has("#would", "It would change +2 −2")
	p.has("#preview .table", "ex:old")
	p.shot("update")
	if n := s.count(t); n != 16 {
		t.Fatalf("after the preview there are %d quads", n)
	}
	if _, err := s.db.Update(t.Context(), "INSERT DATA { <http://example.org/fay> <http://xmlns.com/foaf/0.1/age> 50 }"); err != nil {
		t.Fatal(err)
	}
	p.click("#send", "")
	p.has("#preview", "has changed meanwhile")
	p.has("#would", "+3 −3")
	p.click("#send", "")
	p.has("#count", "Carried out: +3 −3")
	p.ask("ASK { ?who <http://example.org/old> true . FILTER NOT EXISTS { ?who foaf:age ?age } }", "Yes")
}
