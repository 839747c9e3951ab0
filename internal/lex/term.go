package lex

import "bytes"

// Datatypes that a literal token may not, or need not, name.
const (
	xsdString  = "http://www.w3.org/2001/XMLSchema#string"
	langString = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
	dirString  = "http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString"
)

// SkipSpace returns the index of the first byte at or after b[i] that is
// neither blank nor tab.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && Class[b[i]]&classSpace != 0 {
		i++
	}
	return i
}

// AppendIRIRef appends the canonical surface of the absolute IRI in brackets
// at b[i] and returns the index after it.
func AppendIRIRef(dst, b []byte, i int) ([]byte, int, *Error) {
	end, escaped, err := IRI(b, i)
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	if escaped {
		dst = append(AppendIRI(append(dst, '<'), b[i+1:end-1]), '>')
	} else {
		dst = append(dst, b[i:end]...)
	}
	if !HasScheme(dst[start+1:]) {
		return dst, 0, Relative(b, i, end)
	}
	return dst, end, nil
}

// Relative is the fault of a relative IRI reference b[i:end] where there is no
// base.
func Relative(b []byte, i, end int) *Error {
	return &Error{Pos: i, Expected: "an absolute IRI", Found: "the relative reference " + clip(b[i:end])}
}

// AppendLiteral appends the canonical surface of the N-Triples literal whose
// '"' is b[i] and returns the index after it.
func AppendLiteral(dst, b []byte, i int) ([]byte, int, *Error) {
	end, clean, err := String(b, i)
	if err != nil {
		return dst, 0, err
	}
	if clean {
		dst = append(dst, b[i:end]...)
	} else {
		dst = append(AppendText(append(dst, '"'), b[i+1:end-1]), '"')
	}
	if end >= len(b) {
		return dst, end, nil
	}
	switch b[end] {
	case '@':
		_, tail, _, err := Tag(b, end)
		if err != nil {
			return dst, 0, err
		}
		return AppendLower(dst, b[end:tail]), tail, nil
	case '^':
		if end+2 >= len(b) || b[end+1] != '^' || b[end+2] != '<' {
			return dst, 0, Fault(b, min(end+1, len(b)), "'^<' before the datatype IRI")
		}
		mark := len(dst)
		dst, tail, err := AppendIRIRef(append(dst, "^^"...), b, end+2)
		if err != nil {
			return dst, 0, err
		}
		drop, err := CheckDatatype(dst[mark+3:len(dst)-1], end+2)
		if drop {
			dst = dst[:mark]
		}
		return dst, tail, err
	}
	return dst, end, nil
}

// CheckDatatype looks at the datatype IRI of a literal without a language tag.
// drop is true for xsd:string, which surfaces leave out; the datatypes of
// tagged literals are a fault at pos.
func CheckDatatype(iri []byte, pos int) (drop bool, err *Error) {
	switch {
	case bytes.Equal(iri, []byte(xsdString)):
		return true, nil
	case bytes.Equal(iri, []byte(langString)):
		return false, &Error{Pos: pos, Expected: "a language tag (rdf:langString needs one)", Found: "the datatype rdf:langString"}
	case bytes.Equal(iri, []byte(dirString)):
		return false, &Error{Pos: pos, Expected: "a language tag with a base direction (rdf:dirLangString needs one)", Found: "the datatype rdf:dirLangString"}
	}
	return false, nil
}
