package parse_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A long INSERT DATA costs little more than its quads, which come in order, whatever
// graphs and abbreviations stand between them.
func TestLongData(t *testing.T) {
	const n = 50_000
	var b strings.Builder
	b.WriteString("INSERT DATA {\n")
	for i := range n / 5 {
		fmt.Fprintf(&b, "<http://ex/s> <http://ex/p> %d .\n", 5*i)
		fmt.Fprintf(&b, "GRAPH <http://ex/g%d> { <http://ex/s> <http://ex/p> %d , %d ; <http://ex/q> %d . <http://ex/t> <http://ex/p> %d }\n", i%7, 5*i+1, 5*i+2, 5*i+3, 5*i+4)
	}
	b.WriteString("}")
	text := b.String()
	var u *ast.Update
	var err error
	bytes := allocated(func() { u, err = parse.Update(text, nil) })
	if err != nil {
		t.Fatal(err)
	}
	quads := u.Ops[0].(*ast.InsertData).Quads
	if len(quads) != n {
		t.Fatalf("%d quads, want %d", len(quads), n)
	}
	for i, q := range quads {
		g := ""
		if i%5 > 0 {
			g = fmt.Sprintf("http://ex/g%d", i/5%7)
		}
		if q.O.Term.Value() != fmt.Sprint(i) || q.Graph.Term.Value() != g {
			t.Fatalf("quad %d: %v in %v", i, q.O.Term, q.Graph.Term)
		}
	}
	if per := bytes / n; per > 900 { // the tree has 240 for each
		t.Errorf("%d bytes for each quad", per)
	}
	// A text that does not go on as it began.
	text = "INSERT DATA {" + strings.Repeat("<a> <b> 1 .\n", 5000) + "<a> <b> '" + strings.Repeat("x", 20<<20) + "' }"
	bytes = allocated(func() { u, err = parse.Update(text, &ast.Options{Base: "http://ex/"}) })
	if err != nil || len(u.Ops[0].(*ast.InsertData).Quads) != 5001 {
		t.Fatal(err)
	}
	if bytes > 100<<20 {
		t.Errorf("%d bytes", bytes)
	}
}
