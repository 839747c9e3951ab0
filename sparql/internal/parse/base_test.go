package parse_test

import (
	"testing"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

// TestUpdateBase: each operation keeps the base IRI at its place, also when the
// update is printed and read again.
func TestUpdateBase(t *testing.T) {
	u, err := parse.Update(`BASE <http://one/> INSERT { <a> <b> ?x } WHERE { BIND(IRI("x") AS ?x) } ;
		BASE <http://two/> INSERT DATA { <a> <b> <c> } ;
		INSERT { <a> <b> ?x } WHERE {} ; BASE <http://three/>`, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if b := u.Ops[0].(*ast.Modify).Base; b != "http://one/" {
			t.Errorf("base of the first operation: %s", b)
		}
		if b := u.Ops[2].(*ast.Modify).Base; b != "http://two/" {
			t.Errorf("base of the third operation: %s", b)
		}
		if u.Base != "http://three/" {
			t.Errorf("base at the end: %s", u.Base)
		}
		if u, err = parse.Update(u.String(), nil); err != nil {
			t.Fatal(err)
		}
	}
}
