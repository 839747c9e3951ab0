package exec

import "github.com/rete-go/rete/sparql/internal/value"

// firstTexts is how many rows are taken at once where it is not known what texts they
// make.
const firstTexts = 64

// textRows is how many bytes of text the rows may have whose terms are not looked up yet.
const textRows = 1 << 20

// textOf returns the memory behind values.
func textOf(list []value.Value) (n int) {
	for i := range list {
		n += list[i].Bytes()
	}
	return n
}

// integer returns the surface of an xsd:integer.
func integer(digits string) string {
	return `"` + digits + `"^^<http://www.w3.org/2001/XMLSchema#integer>`
}
