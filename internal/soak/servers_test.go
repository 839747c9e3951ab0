package main

import (
	"strings"
	"testing"
	"time"
)

// rete answers with what was just written, and a server that is not there is left out.
func TestServers(t *testing.T) {
	ctx, c := setup(t, 1)
	var out strings.Builder
	c.out = &out
	if err := servers(ctx, &serversOptions{common: c, oxigraph: "no-such-program", quads: 1000, clients: 4, length: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || strings.Contains(lines[2], "left out") || strings.Contains(lines[3], "left out") || !strings.Contains(lines[4], "left out") {
		t.Errorf("%s", out.String())
	}
}
