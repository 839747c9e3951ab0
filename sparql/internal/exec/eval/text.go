package eval

import "github.com/rete-go/rete/sparql/internal/value"

// FirstTexts is how many rows are taken at once where it is not known what texts they
// make.
const FirstTexts = 64

// TextRows is how many bytes of text the rows may have whose terms are not looked up yet.
const TextRows = 1 << 20

// TextOf returns the memory that values refer to.
func TextOf(list []value.Value) (n int) {
	for i := range list {
		n += list[i].Bytes()
	}
	return n
}

// Integer returns the surface of an xsd:integer.
func Integer(digits string) string {
	return `"` + digits + `"^^<http://www.w3.org/2001/XMLSchema#integer>`
}
