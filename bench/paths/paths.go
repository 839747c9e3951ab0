// Package paths generates deep and wide graphs for property paths: a chain, a complete
// binary tree, a cycle, and a hub with many links to it.
package paths

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"strconv"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

// prefix is the namespace of every name.
const prefix = "http://paths.example/"

// Sizes are the numbers of links.
type Sizes struct{ Chain, Tree, Cycle, Hub int }

// SizesFor divides about the given number of statements: ten parts each for chain, tree and hub,
// and one for the cycle. The tree is complete, so it has a power of two less two.
func SizesFor(statements int) Sizes {
	part := max(statements/31, 1)
	return Sizes{Chain: 10 * part, Tree: 1<<bits.Len(uint(7*part)) - 2, Cycle: part + 1, Hub: 10 * part}
}

// generate writes the links and returns their number.
func generate(w io.Writer, s Sizes) (int, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	link := func(kind string, from int, predicate string, to int) {
		fmt.Fprintf(out, "<%s%s%d> <%s%s> <%s%s%d> .\n", prefix, kind, from, prefix, predicate, prefix, kind, to)
	}
	for i := range s.Chain {
		link("c", i, "next", i+1)
	}
	for i := 2; i < s.Tree+2; i++ {
		link("t", i/2, "child", i)
	}
	for i := range s.Cycle {
		link("y", i, "turn", (i+1)%s.Cycle)
	}
	for i := range s.Hub {
		link("h", i+1, "to", 0)
	}
	return s.Chain + s.Tree + s.Cycle + s.Hub, out.Flush()
}

// Set returns the data set with about the given number of statements, and its queries.
func Set(statements int) *workload.Set {
	sizes := SizesFor(statements)
	return &workload.Set{
		Name:     "paths",
		Prologue: "PREFIX : <" + prefix + ">\n",
		Queries:  queries,
		Write:    func(w io.Writer) (int, error) { return generate(w, sizes) },
		Draw: func(s *gen.Stream, kind string) string {
			name := func(kind string, least, n int) string { return ":" + kind + strconv.Itoa(least+s.Below(n)) }
			switch kind {
			case "leaf":
				return name("t", sizes.Tree/2+1, sizes.Tree/2)
			case "end": // near the end of the chain
				return name("c", sizes.Chain*9/10, sizes.Chain/10+1)
			case "turn":
				return name("y", 0, sizes.Cycle)
			}
			return name("h", 1, sizes.Hub)
		},
	}
}

// queries are paths from one end, to the other, between two, and with both ends free.
var queries = []workload.Query{
	{Name: "chain-from", Text: "SELECT (COUNT(*) AS ?n) { :c0 :next+ ?x }"},
	{Name: "chain-end", Text: "SELECT ?x { {{end :c5}} :next* ?x }"},
	{Name: "chain-to", Text: "SELECT (COUNT(*) AS ?n) { ?x :next+ {{end :c5}} }"},
	{Name: "chain-ask", Text: "ASK { :c0 :next* {{end :c5}} }"},
	{Name: "tree-root", Text: "SELECT (COUNT(*) AS ?n) { :t1 :child+ ?x }"},
	{Name: "tree-leaf", Text: "SELECT ?x { ?x :child+ {{leaf :t3}} }"},
	{Name: "tree-cousins", Text: "SELECT (COUNT(*) AS ?n) { {{leaf :t3}} ^:child/^:child/^:child/:child/:child/:child ?x }"},
	{Name: "cycle", Text: "SELECT (COUNT(*) AS ?n) { {{turn :y0}} :turn+ ?x }"},
	{Name: "cycle-ask", Text: "ASK { {{turn :y0}} :turn+ {{turn :y1}} }"},
	{Name: "hub-from", Text: "SELECT * { :h0 :to+ ?x }"},
	{Name: "hub-to", Text: "SELECT (COUNT(*) AS ?n) { ?x :to+ :h0 }"},
	{Name: "hub-one", Text: "SELECT * { {{spoke :h1}} :to+ ?x }"},
	{Name: "free-chain", Text: "SELECT * { ?x :next+ ?y } LIMIT 100"},
	{Name: "free-tree", Text: "SELECT * { ?x :child+ ?y } LIMIT 100"},
	{Name: "free-cycle", Text: "SELECT * { ?x :turn+ ?y } LIMIT 100"},
	{Name: "free-hub", Text: "SELECT * { ?x :to+ ?y } LIMIT 100"},
	{Name: "free-zero", Text: "SELECT * { ?x :to* ?y } LIMIT 100"},
}
