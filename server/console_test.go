package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql"
)

// TestPage: browsers get the console where programs get the service description, without a token
// and under a policy of its own; its files have a validator.
func TestPage(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "read", "r")))
	if err != nil {
		t.Fatal(err)
	}
	srv, _ := startFake(t, people, &server.Options{Tokens: tokens})
	nonces := map[string]bool{}
	for _, path := range []string{"/", "/sparql", "/sparql/", "/sparql?format=html", "/?x=1"} {
		a := ask(t, "GET", srv.URL+path, "", "Accept", "text/html,*/*;q=0.8")
		policy := a.header.Get("Content-Security-Policy")
		_, nonce, _ := strings.Cut(policy, "'nonce-")
		nonce, _, _ = strings.Cut(nonce, "'")
		if a.status != 200 || !strings.Contains(a.body, `data-nonce="`+nonce+`"`) || nonces[nonce] || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %d %s %s", path, a.status, policy, a.body)
		}
		nonces[nonce] = true
	}
	for _, headers := range [][]string{nil, {"Accept", "text/turtle"}} {
		if a := ask(t, "GET", srv.URL+"/", "", headers...); a.status != 401 {
			t.Errorf("the description without a token, %v: %d", headers, a.status)
		}
	}
	for _, name := range []string{"console.js", "console.css", "licences.txt"} {
		a := ask(t, "GET", srv.URL+"/console/"+name, "")
		if b := ask(t, "GET", srv.URL+"/console/"+name, "", "If-None-Match", a.header.Get("ETag")); a.status != 200 || len(a.body) == 0 || b.status != 304 {
			t.Errorf("%s: %d, and again %d", name, a.status, b.status)
		}
	}
	for _, name := range []string{"", "page.html", "../console.go", "none"} {
		if a := ask(t, "GET", srv.URL+"/console/"+name, "", "Authorization", "Bearer r"); a.status != 404 {
			t.Errorf("%q: %d", name, a.status)
		}
	}
}

// TestConsoleScopes: what the console is told needs the scope to read; what it may do is told anybody.
func TestConsoleScopes(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "write", "w")))
	if err != nil {
		t.Fatal(err)
	}
	srv := start(t, server.Database(newDatabase(t)), &server.Options{Tokens: tokens})
	for path, method := range map[string]string{"complete": "POST", "check": "POST", "overview": "GET", "history": "GET", "changes?from=1": "GET"} {
		if a := ask(t, method, srv.URL+"/console/"+path, "ASK {}", "Sec-Fetch-Dest", "empty"); a.status != 401 || strings.Join(a.header.Values("WWW-Authenticate"), "") != `Bearer realm="rete"` {
			t.Errorf("%s: %d %v", path, a.status, a.header["Www-Authenticate"])
		}
		if a := ask(t, method, srv.URL+"/console/"+path, "ASK {}", "Authorization", "Bearer w"); a.status != 200 {
			t.Errorf("%s by ann: %d %s", path, a.status, a.body)
		}
	}
	for header, want := range map[string]string{"": `"scope":"none"`, "Bearer w": `"scope":"write"`} {
		if a := ask(t, "GET", srv.URL+"/console/session", "", "Authorization", header); a.status != 200 || !strings.Contains(a.body, want) {
			t.Errorf("session of %q: %d %s", header, a.status, a.body)
		}
	}
}

// TestCheck: a text is told apart as a query of some form or an update; a wrong one has the error of
// that which gets further.
func TestCheck(t *testing.T) {
	srv, _ := startFake(t, people, nil)
	for text, want := range map[string]string{
		"SELECT * {}":                  `"select"`,
		"ask {}":                       `"ask"`,
		"CONSTRUCT WHERE { ?s ?p ?o }": `"construct"`,
		"DESCRIBE <x>":                 `"describe"`,
		"INSERT DATA {}":               `"update"`,
		"":                             `"update"`,
		"SELECT * { ?s ?p }":           `"line":1,"column":18`,
		"INSERT DATA { ?s <p> 1 }":     `"line":1,"column":15`,
	} {
		if a := ask(t, "POST", srv.URL+"/console/check", text, "Content-Type", "text/plain"); !strings.Contains(a.body, want) {
			t.Errorf("%q: %d %s, want %s", text, a.status, a.body, want)
		}
	}
	if a := ask(t, "POST", srv.URL+"/console/check", strings.Repeat(" ", 2<<20)); a.status != 413 {
		t.Errorf("a long text: %d %s", a.status, a.body)
	}
}

// TestPlanParameter: the plan of a query is had in place of its answer, measured or not.
func TestPlanParameter(t *testing.T) {
	srv, _ := startFake(t, people, nil)
	const query = "/sparql?query=SELECT+*+%7B+%3Fs+%3Fp+%3Fo+%7D"
	var explained, analyzed struct {
		Run  *struct{ Rows int }
		Plan struct{ Op string }
	}
	for plan, into := range map[string]any{"explain": &explained, "analyze": &analyzed} {
		a := ask(t, "GET", srv.URL+query+"&plan="+plan, "")
		if err := json.Unmarshal([]byte(a.body), into); a.status != 200 || err != nil {
			t.Fatalf("%s: %d %s", plan, a.status, a.body)
		}
	}
	if explained.Run != nil || explained.Plan.Op == "" || analyzed.Run == nil || analyzed.Run.Rows != 4 {
		t.Errorf("explained %+v, analyzed %+v", explained, analyzed)
	}
	for _, bad := range []string{"plan=run", "generation=0", "generation=x", "generation=1"} {
		if a := ask(t, "GET", srv.URL+query+"&"+bad, ""); a.status != 400 {
			t.Errorf("%s: %d %s", bad, a.status, a.body)
		}
	}
}

// generations is a server of a database with three generations after the empty one: Ann comes, Bob
// comes and Ann goes, Cyd comes.
func generations(t *testing.T) *httptest.Server {
	t.Helper()
	db := newDatabase(t)
	for _, u := range []string{
		"INSERT DATA { <http://ex/ann> a <http://ex/P> }",
		"DELETE DATA { <http://ex/ann> a <http://ex/P> }; INSERT DATA { <http://ex/bob> a <http://ex/P> ; <http://ex/knows> <http://ex/bob> }",
		"INSERT DATA { GRAPH <http://ex/g> { <http://ex/cyd> a <http://ex/P> } }",
	} {
		if _, err := db.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		if err := db.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return start(t, server.Database(db), nil)
}

// TestHistory: generations are listed, asked, compared and brought back.
func TestHistory(t *testing.T) {
	srv := generations(t)
	get := func(path string, into any) {
		t.Helper()
		a := ask(t, "GET", srv.URL+path, "")
		if err := json.Unmarshal([]byte(a.body), into); a.status != 200 || err != nil {
			t.Fatalf("%s: %d %s", path, a.status, a.body)
		}
	}
	var list struct{ Generations []struct{ Generation int64 } }
	get("/console/history", &list)
	var numbers []int64
	for _, g := range list.Generations {
		numbers = append(numbers, g.Generation)
	}
	if want := []int64{4, 3, 2, 1}; !slices.Equal(numbers, want) {
		t.Fatalf("generations %v, want %v", numbers, want)
	}
	type differences struct {
		Added, Removed int
		Changes        []struct {
			Added      bool
			S, P, O, G string
		}
	}
	var two, three differences
	get("/console/changes?from=2&to=3&limit=10", &two)
	get("/console/changes?from=3", &three)
	if two.Added != 2 || two.Removed != 1 || len(two.Changes) != 3 || three.Added != 1 || len(three.Changes) != 0 {
		t.Errorf("2 to 3: %+v; 3 to now: %+v", two, three)
	}
	is := func(generation int, who string) bool {
		query := fmt.Sprintf("/sparql?query=ASK+%%7B+%%3Chttp://ex/%s%%3E+a+%%3Fc+%%7D&generation=%d", who, generation)
		return strings.Contains(ask(t, "GET", srv.URL+query, "").body, "true")
	}
	if !is(2, "ann") || is(3, "ann") || !is(3, "bob") {
		t.Error("earlier generations are not what they were")
	}
	for path, status := range map[string]int{"generation=9": 404, "generation=": 400, "generation=-1": 400, "generation=2&note=back": 200} {
		if a := ask(t, "POST", srv.URL+"/admin/revert?"+path, ""); a.status != status {
			t.Errorf("revert %s: %d %s", path, a.status, a.body)
		}
	}
	if a := ask(t, "POST", srv.URL+"/admin/revert?generation=2", "", "Sec-Fetch-Site", "cross-site"); a.status != 403 {
		t.Errorf("a page of another site reverts: %d", a.status)
	}
	if !is(5, "ann") || is(5, "bob") {
		t.Error("generation 5 is not generation 2 again")
	}
	get("/console/history", &list)
	if list.Generations[0].Generation != 5 {
		t.Errorf("the newest generation is %d", list.Generations[0].Generation)
	}
}

// TestOverview: counts of the data now and then, and the links between classes.
func TestOverview(t *testing.T) {
	srv := generations(t)
	for path, want := range map[string][]string{
		"":              {`"quads":3`, `"class":"http://ex/P"`, `"graph":"http://ex/g"`, `{"from":"\u003chttp://ex/P\u003e","predicate":"\u003chttp://ex/knows\u003e","to":"\u003chttp://ex/P\u003e","triples":1}`},
		"?generation=2": {`"quads":1`, `"links":null`},
	} {
		a := ask(t, "GET", srv.URL+"/console/overview"+path, "")
		for _, w := range want {
			if a.status != 200 || !strings.Contains(a.body, w) {
				t.Errorf("%q: %d %s, want %s", path, a.status, a.body, w)
			}
		}
	}
	if a := ask(t, "GET", srv.URL+"/console/overview?generation=9", ""); a.status != 404 {
		t.Errorf("a generation that is not there: %d", a.status)
	}
}

// TestComplete: what may stand at the end of a text, by the data of the server.
func TestComplete(t *testing.T) {
	srv := generations(t)
	a := ask(t, "POST", srv.URL+"/console/complete", "SELECT * { ?s a <http://ex/", "Content-Type", "text/plain")
	if a.status != 200 || !strings.Contains(a.body, `"word":"\u003chttp://ex/"`) || !strings.Contains(a.body, `{"text":"\u003chttp://ex/P\u003e","kind":"term"}`) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestConsoleFair: a caller that has used up its time has none in the console either, where it may still log in.
func TestConsoleFair(t *testing.T) {
	store, _ := stuckStore(t)
	inFairTime(t, store, &server.Options{QueryTime: 8 * time.Second, CallerTime: 4 * time.Second}, func(t *testing.T, c callers) {
		for _, step := range []struct {
			path   string
			status int
		}{{everything, 504}, {"/console/overview", 429}, {"/console/history", 429}, {"/console/session", 200}, {"/console/console.js", 200}} {
			if got := c.ask(ann, step.path).StatusCode; got != step.status {
				t.Errorf("%s: %d, want %d", step.path, got, step.status)
			}
		}
	})
}

// TestConsoleMemory: what counts the data has memory of the queries, and gives it back; where there
// is not enough it says so, and completion goes on with the words of the language.
func TestConsoleMemory(t *testing.T) {
	db := newDatabase(t)
	var update strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&update, "INSERT DATA { <http://ex/s> <http://ex/predicate/%d> 1 };", i)
	}
	if _, err := db.Update(t.Context(), update.String()); err != nil {
		t.Fatal(err)
	}
	pool := sparql.NewMemoryPool(4 << 20)
	srv := start(t, server.Database(db), &server.Options{Memory: 1 << 20, Pool: pool})
	if a := ask(t, "GET", srv.URL+"/console/overview", ""); a.status != 200 || !strings.Contains(a.body, `"distinct":3000`) {
		t.Errorf("with enough: %d %.300s", a.status, a.body)
	}
	scarce := start(t, server.Database(db), &server.Options{Memory: 4 << 10, Pool: pool})
	if a := ask(t, "GET", scarce.URL+"/console/overview", ""); a.status != 422 || !strings.Contains(a.body, ":memory") {
		t.Errorf("with 4 KiB: %d %.300s", a.status, a.body)
	}
	if a := ask(t, "POST", scarce.URL+"/console/complete", "sel"); a.status != 200 || !strings.Contains(a.body, "SELECT") {
		t.Errorf("completion with 4 KiB: %d %s", a.status, a.body)
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held", pool.Used())
	}
}
