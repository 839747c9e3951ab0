package parse_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
	"github.com/rete-go/rete/sparql/internal/work"
)

// checkFed reads an update whose data is handed on: it is the same tree, or the same error,
// and nothing of the tree is a part of the text.
func checkFed(t *testing.T, text string, opt *ast.Options, u *ast.Update, err error) {
	t.Helper()
	data := map[int][]ast.Quad{}
	fed, ferr := parse.UpdateWith(new(work.Meter), text, opt, func(op int, quads []ast.Quad) error {
		data[op] = append(data[op], quads...)
		return nil
	})
	if err != nil || ferr != nil {
		if !reflect.DeepEqual(err, ferr) {
			t.Errorf("handed on: %v, else %v", ferr, err)
		}
		return
	}
	within(reflect.ValueOf(fed), text, func(s string) { t.Errorf("%q is a part of the text", s) })
	for i, op := range fed.Ops {
		switch op := op.(type) {
		case *ast.InsertData:
			op.Quads = data[i]
		case *ast.DeleteData:
			op.Quads = data[i]
		default:
			if len(data[i]) > 0 {
				t.Errorf("operation %d hands on %d quads", i, len(data[i]))
			}
		}
	}
	sameTree(t, u, fed)
}

// within calls f for the strings in v that are parts of a text.
func within(v reflect.Value, text string, f func(string)) {
	switch v.Kind() {
	case reflect.String:
		at, from := uintptr(unsafe.Pointer(unsafe.StringData(v.String()))), uintptr(unsafe.Pointer(unsafe.StringData(text)))
		if v.Len() > 0 && from <= at && at < from+uintptr(len(text)) {
			f(v.String())
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			within(v.Elem(), text, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			within(v.Field(i), text, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			within(v.Index(i), text, f)
		}
	}
}

// TestDataFeed hands on data in many pieces, whatever it is made of.
func TestDataFeed(t *testing.T) {
	var list, mixed strings.Builder
	list.WriteString("PREFIX : <http://ex/>\nINSERT DATA { :s :p 0")
	for i := range 2000 {
		fmt.Fprintf(&list, ", %d", i)
	}
	list.WriteString("; :q 1 }")
	mixed.WriteString("PREFIX : <http://ex/> INSERT DATA {")
	for i := range 300 {
		fmt.Fprintf(&mixed, "_:a%d :p [ :q %d, [ :r _:a%d ] ] , ( 1 [ :p 2, 3 ] _:b ) . [ :p 1 ; :q 2 ] .", i, i, i/2)
		fmt.Fprintf(&mixed, "( 1 2 ) :p 3 . << :s :p %d >> :q :r . :s :p :o ~ :r {| :q 1, 2, 3 ; :r [ :p 4 ] |} , 5 .", i)
		fmt.Fprintf(&mixed, "GRAPH :g%d { :s :p %d, %d ; :q <<( _:x :p 'a' )>> } GRAPH <http://ex/h> { :s :p \"\\u00e9%d\" }", i%3, i, i+1, i)
	}
	mixed.WriteString("} ;\n")
	text := mixed.String() + `PREFIX q: <http://q/> DELETE DATA { q:a q:b 1 } ; WITH q:g DELETE { ?s ?p "x" } INSERT { ?s ?p _:b , 'y'@en } USING q:h
		WHERE { ?s ?p ?o FILTER(?o > 1 && REGEX(?o, "abc")) SERVICE q:e { ?s <http://ex/p> 'long' } { SELECT (GROUP_CONCAT(?z; SEPARATOR="--") AS ?c) { ?z ?p "lit" } } } ;
		LOAD <http://ex/d> INTO GRAPH <http://ex/g> ; INSERT DATA { <http://ex/s> q:p 1 }`
	for _, text := range []string{list.String(), text, text + " }", list.String()[:list.Len()/2], strings.Replace(text, "_:a299", "?v", 1)} {
		u, err := parse.Update(text, nil)
		checkFed(t, text, nil, u, err)
	}
}

// TestDataFeedMemory: what is held does not grow with the data that is handed on, labels of
// blank nodes aside, and its error ends the reading.
func TestDataFeedMemory(t *testing.T) {
	read := func(text string, use func(n int) error) (most int64, err error) {
		m := new(work.Meter)
		_, err = parse.UpdateWith(m, text, nil, func(_ int, quads []ast.Quad) error {
			most = max(most, m.Held())
			return use(len(quads))
		})
		return most, err
	}
	for _, piece := range []string{"<http://ex/%d> <http://ex/p> 1 .", "[ <http://ex/p> %d ] .", "GRAPH <http://ex/%d> { <http://ex/s> <http://ex/p> 'x'@en }"} {
		text := "INSERT DATA {" + strings.Repeat(strings.ReplaceAll(piece, "%d", "1"), 20_000) + "}"
		quads := 0
		most, err := read(text, func(n int) error { quads += n; return nil })
		if err != nil || quads != 20_000 || most > 1<<20 {
			t.Errorf("%s: %v, %d quads, %d bytes", piece, err, quads, most)
		}
	}
	told := errors.New("told to fail")
	pieces := 0
	if _, err := read("INSERT DATA {"+strings.Repeat("<http://ex/s> <http://ex/p> 1 .", 10_000)+"}", func(int) error { pieces++; return told }); err != told || pieces != 1 {
		t.Errorf("%v after %d pieces", err, pieces)
	}
}
