package results

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf"
)

// Reader delivers the rows of an answer, or its boolean.
type Reader interface {
	// Vars returns the variables, without "?", in their order.
	Vars() []string
	// Boolean returns the answer of an ASK; is tells whether it is one.
	Boolean() (b, is bool)
	// Read fills row, which has a place for each variable; the zero Term is
	// unbound. It returns io.EOF after the last row, and an error that wraps
	// [ErrSyntax] for an answer that is malformed or cut off.
	Read(row []rdf.Term) error
}

// NewReader begins to read an answer.
func NewReader(r io.Reader, f Format) (Reader, error) {
	switch f {
	case JSON:
		return newJSONReader(r)
	case XML:
		return newXMLReader(r)
	case CSV:
		return newCSVReader(r)
	case TSV:
		return newTSVReader(r)
	}
	return nil, fmt.Errorf("results: %s cannot be read back", f)
}

// syntaxError says what is wrong.
func syntaxError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSyntax, fmt.Sprintf(format, args...))
}

// cut says that the input ended too early, or why it could not be read.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return syntaxError("the answer is cut off")
	}
	return err
}

// blank returns a blank node for a label from outside, which may have
// characters that labels cannot have.
func blank(label string) rdf.Term {
	if t := rdf.Blank(label); t.Valid() {
		return t
	}
	return rdf.Blank("x" + hex.EncodeToString([]byte(label)))
}

// iri returns an IRI from outside.
func iri(text string) (rdf.Term, error) {
	t := rdf.IRI(text)
	if !t.Valid() {
		return rdf.Term{}, syntaxError("not an IRI: %.80q", text)
	}
	return t, nil
}

// makeLiteral returns a literal from outside.
func makeLiteral(text, lang, dir, datatype string) (rdf.Term, error) {
	t := rdf.String(text)
	switch {
	case lang != "" && dir != "":
		t = rdf.DirLangString(text, lang, dir)
	case lang != "":
		t = rdf.LangString(text, lang)
	case datatype != "":
		t = rdf.Typed(text, datatype)
	}
	if !t.Valid() {
		return rdf.Term{}, syntaxError("not a literal: language %.40q, direction %.40q, datatype %.80q", lang, dir, datatype)
	}
	return t, nil
}

// index returns the places of the variables.
func index(vars []string) (map[string]int, error) {
	at := make(map[string]int, len(vars))
	for i, name := range vars {
		if !utf8.ValidString(name) {
			return nil, syntaxError("the name of a variable, %.80q, is not UTF-8", name)
		}
		if _, twice := at[name]; twice {
			return nil, syntaxError("the variable %q twice", name)
		}
		at[name] = i
	}
	return at, nil
}

// checkRow guards against a row of another width.
func checkRow(row []rdf.Term, vars []string) error {
	if len(row) != len(vars) {
		return fmt.Errorf("%w: room for %d terms, %d variables", ErrState, len(row), len(vars))
	}
	clear(row)
	return nil
}
