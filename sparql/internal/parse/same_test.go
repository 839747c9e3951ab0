package parse_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// sameTree fails unless two trees are equal but for their spans and for the
// labels and numbers of their blank nodes, which must correspond one to one. It
// changes both.
func sameTree(t *testing.T, a, b any) {
	t.Helper()
	normalize(reflect.ValueOf(a), map[int32]int32{})
	normalize(reflect.ValueOf(b), map[int32]int32{})
	if diff := cmp.Diff(a, b, cmp.Comparer(func(x, y rdf.Term) bool { return x == y }), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the trees differ (-first +printed):\n%s", diff)
	}
}

// normalize empties all spans and numbers blank nodes in the order of the tree.
// Nodes may be shared, so a number that was given stays: it is negative.
func normalize(v reflect.Value, numbers map[int32]int32) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			normalize(v.Elem(), numbers)
		}
	case reflect.Slice:
		for i := range v.Len() {
			normalize(v.Index(i), numbers)
		}
	case reflect.Struct:
		if span, ok := v.Addr().Interface().(*ast.Span); ok {
			*span = ast.Span{}
			return
		}
		if _, ok := v.Interface().(rdf.Term); ok {
			return
		}
		if n, ok := v.Addr().Interface().(*ast.Node); ok && n.Kind == ast.BlankNode && n.Blank > 0 {
			if numbers[n.Blank] == 0 {
				numbers[n.Blank] = -int32(len(numbers) + 1)
			}
			n.Blank, n.Name = numbers[n.Blank], ""
		}
		for i := range v.NumField() {
			normalize(v.Field(i), numbers)
		}
	}
}
