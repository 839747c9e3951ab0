package workload_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

func set() *workload.Set {
	return &workload.Set{
		Prologue: "PREFIX : <x:>\n",
		Draw:     func(s *gen.Stream, kind string) string { return ":" + kind + strconv.Itoa(s.Below(4)) },
	}
}

func TestFixed(t *testing.T) {
	q := workload.Query{Text: "ASK { {{a :a0}} :p {{b :b7}} }"}
	if got, want := set().Fixed(q), "PREFIX : <x:>\nASK { :a0 :p :b7 }"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if q.Fixed() || !(workload.Query{Text: "ASK { }"}).Fixed() {
		t.Error("a query is fixed if it has no places")
	}
}

// Constants are the same for the same run, and each is there once as long as there
// are others.
func TestInstance(t *testing.T) {
	q := workload.Query{Text: "VALUES ?x { {{a :a0}} {{a :a0}} {{a :a0}} {{a :a0}} }"}
	seen := make(map[string]bool)
	for n := range 20 {
		text := set().Instance(q, 1, n)
		if text != set().Instance(q, 1, n) {
			t.Fatalf("run %d has two texts", n)
		}
		seen[text] = true
		for i := range 4 {
			if !strings.Contains(text, ":a"+strconv.Itoa(i)) {
				t.Errorf("run %d: constant %d is not there: %s", n, i, text)
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("20 runs have %d texts", len(seen))
	}
}

func TestOpen(t *testing.T) {
	for text, open := range map[string]bool{"DESCRIBE <x:>": true, "SELECT * { } LIMIT 1": true, "SELECT * { }": false} {
		if (workload.Query{Text: text}).Open() != open {
			t.Errorf("%s: open is %v", text, !open)
		}
	}
}
