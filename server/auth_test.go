package server_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// tokenLine is the line of a token file for a secret.
func tokenLine(name, scope, secret string) string {
	return fmt.Sprintf("%s %s %x\n", name, scope, sha256.Sum256([]byte(secret)))
}

func tokenFile(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func basic(user, password string) string {
	r := httptest.NewRequest("GET", "/", nil)
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}

// TestScopes asks for everything with every kind of token.
func TestScopes(t *testing.T) {
	file := tokenFile(t, "# people\n\n", tokenLine("ann", "read", "r"), tokenLine("bob", "write", "w"), tokenLine("cyd", "admin", "a"))
	tokens, err := server.OpenTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	requests := []struct {
		name, method, path, body, media string
		need                            server.Scope
	}{
		{"query", "GET", ask1, "", "", server.ScopeRead},
		{"query by POST", "POST", "/query", "ASK {}", direct, server.ScopeRead},
		{"description", "GET", "/sparql", "", "", server.ScopeRead},
		{"graph", "GET", "/store?default", "", "", server.ScopeRead},
		{"metrics", "GET", "/metrics", "", "", server.ScopeRead},
		{"update", "POST", "/update", "CLEAR SILENT GRAPH <x:none>", change, server.ScopeWrite},
		{"update at /sparql", "POST", "/sparql", "CLEAR SILENT GRAPH <x:none>", change, server.ScopeWrite},
		{"graph write", "POST", "/store?default", "<x:a> <x:b> <x:c> .", turtle, server.ScopeWrite},
		{"queries", "GET", "/admin/queries", "", "", server.ScopeAdmin},
		{"health", "GET", "/health", "", "", server.ScopeNone},
		{"ready", "GET", "/ready", "", "", server.ScopeNone},
	}
	callers := []struct {
		name, header string
		anonymous    bool
		scope        server.Scope
	}{
		{"nobody", "", true, server.ScopeNone},
		{"ann", "Bearer r", false, server.ScopeRead},
		{"ann, lower case", "bearer r", false, server.ScopeRead},
		{"bob", "Bearer w", false, server.ScopeWrite},
		{"bob, Basic", basic("any", "w"), false, server.ScopeWrite},
		{"cyd", "Bearer a", false, server.ScopeAdmin},
		{"the process", "Bearer inside", false, server.ScopeAdmin},
	}
	for _, anonymous := range []server.Scope{server.ScopeNone, server.ScopeRead} {
		srv, _ := startFake(t, people, &server.Options{Tokens: tokens, Anonymous: anonymous, Secret: "inside"})
		for _, r := range requests {
			for _, c := range callers {
				headers := []string{"Content-Type", r.media}
				if c.header != "" {
					headers = append(headers, "Authorization", c.header)
				}
				scope := c.scope
				if c.anonymous {
					scope = anonymous
				}
				a := ask(t, r.method, srv.URL+r.path, r.body, headers...)
				switch {
				case scope >= r.need && a.status/100 != 2:
					t.Errorf("%s by %s: %d %s", r.name, c.name, a.status, a.body)
				case scope < r.need && c.anonymous && (a.status != 401 || len(a.header.Values("WWW-Authenticate")) != 2):
					t.Errorf("%s by %s: %d", r.name, c.name, a.status)
				case scope < r.need && !c.anonymous && a.status != 403:
					t.Errorf("%s by %s: %d", r.name, c.name, a.status)
				}
			}
			if r.need == server.ScopeNone {
				continue
			}
			for _, header := range []string{"Bearer x", "Bearer", "Bearer ", "Basic !", "Digest a", basic("r", "x"), tokenLine("", "", "r")} {
				if a := ask(t, r.method, srv.URL+r.path, r.body, "Content-Type", r.media, "Authorization", strings.TrimSpace(header)); a.status != 401 {
					t.Errorf("%s by %q: %d", r.name, header, a.status)
				}
			}
		}
	}
}

// TestChallenges asks as several clients do, without a token or with a wrong one.
func TestChallenges(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "read", "r")))
	if err != nil {
		t.Fatal(err)
	}
	srv, _ := startFake(t, people, &server.Options{Tokens: tokens})
	for _, c := range []struct {
		agent, authorization, want string
	}{
		{"Java-http-client/17.0.15", "", "Basic"}, // Jena
		{"Java-http-client/21", basic("ann", "x"), "Basic"},
		{"curl/8.5.0", "", "Basic Bearer"},
		{"curl/8.5.0", basic("ann", "x"), "Basic"},
		{"curl/8.5.0", "Bearer x", "Basic Bearer"},
		{"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0", "", "Basic Bearer"},
		{"Apache-HttpClient/4.5.14 (Java/17.0.15)", "", "Basic Bearer"},
		{"", "", "Basic Bearer"},
		{"x Java-http-client/17", "Digest a", "Basic Bearer"},
	} {
		for _, path := range []string{ask1, "/store?default", "/metrics", "/admin/queries"} {
			headers := []string{"User-Agent", c.agent}
			if c.authorization != "" {
				headers = append(headers, "Authorization", c.authorization)
			}
			a := ask(t, "GET", srv.URL+path, "", headers...)
			var schemes []string
			for _, v := range a.header.Values("WWW-Authenticate") {
				scheme, _, _ := strings.Cut(v, " ")
				schemes = append(schemes, scheme)
			}
			if got := strings.Join(schemes, " "); a.status != 401 || got != c.want {
				t.Errorf("%s by %q with %q: %d, %s", path, c.agent, c.authorization, a.status, got)
			}
		}
	}
}

// TestMissingScopes refuses what a caller lacks the scope for, and says which one.
func TestMissingScopes(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "read", "r"), tokenLine("bob", "write", "w")))
	if err != nil {
		t.Fatal(err)
	}
	withTokens, _ := startFake(t, people, &server.Options{Tokens: tokens})
	without, _ := startFake(t, people, &server.Options{Anonymous: server.ScopeRead})
	for _, c := range []struct{ url, secret, method, path, media, scope string }{
		{withTokens.URL, "r", "POST", "/update", change, "write"},
		{withTokens.URL, "r", "POST", "/sparql", change, "write"},
		{withTokens.URL, "r", "POST", "/sparql?update=CLEAR+ALL", "", "write"},
		{withTokens.URL, "r", "PUT", "/store?default", turtle, "write"},
		{withTokens.URL, "r", "DELETE", "/store?default", "", "write"},
		{withTokens.URL, "r", "GET", "/admin/queries", "", "admin"},
		{withTokens.URL, "w", "POST", "/admin/seal", "", "admin"},
		{withTokens.URL, "w", "POST", "/admin/compact", "", "admin"},
		{withTokens.URL, "w", "POST", "/admin/revert?generation=1", "", "admin"},
		{withTokens.URL, "w", "DELETE", "/admin/queries/1", "", "admin"},
		{without.URL, "", "POST", "/update", change, "write"},
		{without.URL, "any", "POST", "/update", change, "write"},
		{without.URL, "", "GET", "/admin/queries", "", "admin"},
	} {
		body := ""
		if c.media != "" {
			body = "CLEAR ALL"
		}
		headers := []string{"Content-Type", c.media}
		if c.secret != "" {
			headers = append(headers, "Authorization", "Bearer "+c.secret)
		}
		a := ask(t, c.method, c.url+c.path, body, headers...)
		if a.status != 403 || !strings.Contains(a.body, "this needs the scope "+c.scope) || !strings.Contains(a.body, `"scope":"`+c.scope+`"`) {
			t.Errorf("%s %s with %q: %d %s", c.method, c.path, c.secret, a.status, a.body)
		}
	}
}

func TestTokensReload(t *testing.T) {
	file := tokenFile(t, tokenLine("ann", "read", "old"))
	t.Chdir(filepath.Dir(file))
	tokens, err := server.OpenTokens(filepath.Base(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(tokenFile(t, tokenLine("eve", "admin", "new")))) // the file is the earlier one
	srv, _ := startFake(t, people, &server.Options{Tokens: tokens})
	status := func(secret string) int {
		return ask(t, "GET", srv.URL+ask1, "", "Authorization", "Bearer "+secret).status
	}
	if status("old") != 200 || status("new") != 401 {
		t.Fatal("before")
	}
	if err := os.WriteFile(file, []byte(tokenLine("ann", "read", "new")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tokens.Reload(); err != nil || status("old") != 401 || status("new") != 200 {
		t.Errorf("after: %v, %d, %d", err, status("old"), status("new"))
	}
	if err := os.WriteFile(file, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tokens.Reload(); err == nil || status("new") != 200 {
		t.Errorf("a file that is wrong: %v, %d", err, status("new"))
	}
}

func TestTokenFiles(t *testing.T) {
	secret := strings.Repeat("s", 64)
	for text, want := range map[string]string{
		"":                            "no tokens",
		"# nothing\n":                 "no tokens",
		"ann read":                    ":1: a line is a name, a scope and the SHA-256",
		"\nann read a b":              ":2: a line is",
		tokenLine("ann", "root", "x"): `:1: scope "root" is not read, write or admin`,
		"ann read " + secret:          ":1: the third field is not the 64",
		"ann read abcd":               ":1: the third field is not the 64",
		strings.Repeat(tokenLine("ann", "read", "x"), 2): ":2: a second token of the name ann",
	} {
		_, err := server.OpenTokens(tokenFile(t, text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := server.OpenTokens(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

func TestCheckBind(t *testing.T) {
	tokens, err := server.OpenTokens(tokenFile(t, tokenLine("ann", "read", "x")))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		address   string
		tokens    *server.Tokens
		anonymous server.Scope
		ok        bool
	}{
		{"127.0.0.1:7878", nil, server.ScopeNone, true},
		{"127.8.9.1:0", nil, server.ScopeNone, true},
		{"[::1]:7878", nil, server.ScopeNone, true},
		{"localhost:7878", nil, server.ScopeNone, true},
		{"0.0.0.0:7878", nil, server.ScopeNone, false},
		{":7878", nil, server.ScopeNone, false},
		{"[::]:7878", nil, server.ScopeNone, false},
		{"example.org:80", nil, server.ScopeNone, false},
		{"10.0.0.1:80", nil, server.ScopeNone, false},
		{"10.0.0.1:80", nil, server.ScopeRead, true},
		{"10.0.0.1:80", nil, server.ScopeWrite, false},
		{"10.0.0.1:80", tokens, server.ScopeNone, true},
		{"10.0.0.1:80", tokens, server.ScopeRead, true},
		{"10.0.0.1:80", tokens, server.ScopeWrite, false},
		{"10.0.0.1", tokens, server.ScopeNone, false},
	} {
		if err := server.CheckBind(c.address, c.tokens, c.anonymous); (err == nil) != c.ok {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestHosts(t *testing.T) {
	srv, _ := startFake(t, people, &server.Options{Local: true, PublicURL: "https://data.example.org/rdf"})
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:1": 200, "127.0.0.1": 200, "[::1]:80": 200, "data.example.org": 200, "data.example.org:443": 200,
		"evil.example": 403, "127.0.0.1.evil.example": 403, "data.example.org.evil.example": 403, "0.0.0.0": 403, "10.0.0.1": 403,
	} {
		if a := ask(t, "GET", srv.URL+ask1, "", "Host", host); a.status != want {
			t.Errorf("%s: %d, want %d", host, a.status, want)
		}
	}
}

func TestOrigins(t *testing.T) {
	srv, _ := startFake(t, people, &server.Options{Origins: []string{"https://good.example"}})
	open, _ := startFake(t, people, &server.Options{Origins: []string{"*"}})
	for _, c := range []struct {
		srv           *httptest.Server
		origin        string
		reads, writes bool
	}{
		{srv, "https://good.example", true, true},
		{srv, "https://evil.example", false, false},
		{srv, "http://good.example", false, false},
		{srv, "null", false, false},
		{open, "https://evil.example", true, false},
	} {
		a := ask(t, "GET", c.srv.URL+ask1, "", "Origin", c.origin, "Sec-Fetch-Site", "cross-site")
		if a.status != 200 || (a.header.Get("Access-Control-Allow-Origin") == c.origin) != c.reads {
			t.Errorf("%s: %d %v", c.origin, a.status, a.header)
		}
		if vary := strings.Join(a.header.Values("Vary"), ", "); !strings.Contains(vary, "Origin") {
			t.Errorf("%s: Vary: %s", c.origin, vary)
		}
		a = ask(t, "POST", c.srv.URL+"/sparql", "update=CLEAR+SILENT+GRAPH+<x:none>", "Content-Type", form, "Origin", c.origin, "Sec-Fetch-Site", "cross-site")
		if (a.status == 204) != c.writes || !c.writes && a.status != http.StatusForbidden {
			t.Errorf("a write of %s: %d", c.origin, a.status)
		}
		a = ask(t, "OPTIONS", c.srv.URL+"/update", "", "Origin", c.origin, "Access-Control-Request-Method", "POST")
		for _, name := range []string{"Authorization", "Content-Type", "If-Match", "If-None-Match", "Rete-If-State"} {
			if list := ", " + a.header.Get("Access-Control-Allow-Headers") + ","; c.reads && !strings.Contains(list, ", "+name+",") {
				t.Errorf("%s may not be sent: %s", name, list)
			}
		}
		if (a.header.Get("Access-Control-Allow-Methods") != "") != c.reads {
			t.Errorf("a preflight of %s: %v", c.origin, a.header)
		}
	}
	// Without origins nothing is said of them.
	plain, _ := startFake(t, people, nil)
	if a := ask(t, "GET", plain.URL+ask1, "", "Origin", "https://good.example"); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("an origin is allowed that nobody named")
	}
	if _, err := server.New(&fakeStore{}, &server.Options{Origins: []string{"not an origin"}}); err == nil {
		t.Error("a malformed origin is taken")
	}
	if _, err := server.New(&fakeStore{}, &server.Options{PublicURL: "ftp://x"}); err == nil {
		t.Error("a malformed public URL is taken")
	}
}

func TestPublicURL(t *testing.T) {
	srv, store := startFake(t, "", &server.Options{PublicURL: "https://data.example.org/rdf/"})
	ask(t, "PUT", srv.URL+"/store/people", "<> <p> <#x> .", "Content-Type", turtle)
	ask(t, "POST", srv.URL+"/sparql", "INSERT DATA { <a> <b> <c> }", "Content-Type", change)
	var got []string
	for _, q := range store.data.Quads() {
		got = append(got, q.String())
	}
	want := "<https://data.example.org/rdf/a> <https://data.example.org/rdf/b> <https://data.example.org/rdf/c> ." +
		"<https://data.example.org/rdf/store/people> <https://data.example.org/rdf/store/p> <https://data.example.org/rdf/store/people#x> <https://data.example.org/rdf/store/people> ."
	if strings.Join(got, "") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ""), want)
	}
}
