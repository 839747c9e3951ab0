package server_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// TestInvalidQuads: what cannot be stored is the request's fault, and changes nothing.
func TestInvalidQuads(t *testing.T) {
	addr := serve(t, server.Database(newDatabase(t)), nil)
	state := ask(t, "GET", "http://"+addr+ask1, "").header.Get("Rete-State")
	times16 := func(v string) string { return "CONCAT(" + strings.Repeat(v+",", 15) + v + ")" }
	long := "INSERT { <x:s> <x:p> ?e } WHERE { BIND('" + strings.Repeat("x", 16<<10) + "' AS ?b) " +
		"BIND(" + times16("?b") + " AS ?c) BIND(" + times16("?c") + " AS ?d) BIND(" + times16("?d") + " AS ?e) }"
	for _, c := range []struct {
		name, update, detail string
		status               int
	}{
		{"language tag", "INSERT DATA { <x:a> <x:b> <x:c> . <x:s> <x:p> 'x'@abcdefghi }", "at most 8 letters", 400},
		{"triple term as subject of one", "INSERT { <x:s> <x:p> ?u } WHERE { BIND(TRIPLE(<x:s>, <x:p>, 1) AS ?t) BIND(TRIPLE(?t, <x:p>, 1) AS ?u) }", "", 0},
		{"a literal of 64 MiB", long, "67108864", 413},
	} {
		a := ask(t, "POST", "http://"+addr+"/sparql", c.update, "Content-Type", change)
		if c.status > 0 && a.status != c.status || a.status >= 500 || !strings.Contains(a.body, c.detail) {
			t.Errorf("%s: %d %.300s", c.name, a.status, a.body)
		}
		if got := ask(t, "GET", "http://"+addr+ask1, "").header.Get("Rete-State"); got != state {
			t.Errorf("%s: the state has changed", c.name)
		}
	}
	if a := ask(t, "POST", "http://"+addr+"/sparql", "INSERT DATA { <x:s> <x:p> 'x'@abcdefgh }", "Content-Type", change); a.status >= 300 {
		t.Errorf("a valid update: %d %s", a.status, a.body)
	}
}
