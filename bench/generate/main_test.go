package main

import (
	"strings"
	"testing"
)

// The command writes what the package's tests pin.
func TestRun(t *testing.T) {
	var out, notes strings.Builder
	if err := run(&out, &notes, "ecommerce", 1, "", 0, 1); err != nil {
		t.Fatal(err)
	}
	const want = "111450 statements, SHA-256 9f2208e03a5d643827a1320d3f2386dffc9a65f03f595303a7fa5fc4ebe72541\n"
	if notes.String() != want || strings.Count(out.String(), "\n") != 111450 {
		t.Errorf("%s, want %s", notes.String(), want)
	}
	out.Reset()
	if err := run(&out, &notes, "university", 1, "", 2, 1); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "SELECT"); n != 28 {
		t.Errorf("%d queries", n)
	}
	if err := run(&out, &notes, "other", 1, "", 0, 1); err == nil {
		t.Error("an unknown set is written")
	}
}
