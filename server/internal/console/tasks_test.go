package console_test

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
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
	p.paste("SELECT ?name ?age { ?who foaf:name ?name ; foaf:age ?age } ORDER BY ?age")
	p.click("#run", "")
	p.has("#count", "3 rows")
	p.click("#download", "")
	p.has("#status", "downloaded")
	if got, want := p.downloaded("answer.csv"), "name,age\r\nCyd,29\r\nBob,35\r\nAnn,41\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.click("[role=tab]", "Raw")
	p.has("#raw-text", "Cyd,29")
	p.paste("CONSTRUCT { ?who foaf:age ?age } { ?who foaf:age ?age }")
	p.click("#run", "")
	p.has("#count", "3 statements")
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
	p.paste("SELECT (?a * 1000 + ?b * 100 + ?c AS ?n) { VALUES ?a { " + numbers(100) + " } VALUES ?b { " + numbers(10) + " } VALUES ?c { " + numbers(100) + " } }")
	p.click("#run", "")
	p.has("#count", "100,000 rows")
	p.click(".head button", "n")
	p.has(".table .rows .row:first-child", "0")
	p.eval("document.querySelector('.table').scrollTop = 1e9", new(float64))
	p.has(".table .rows .row:last-child", "100000")
	p.has(".table .rows .row:last-child", "99999")
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
	p.paste("ASK { ?s ?p 'Nobody' }")
	p.click("#run", "")
	p.has("#count", "No")
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
