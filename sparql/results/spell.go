package results

import (
	"strings"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
)

// cell is a term as people read it.
type cell struct {
	text   string // clean (see package display); empty if unbound
	number bool
	kind   rdf.Kind
}

// speller spells terms for people: IRIs by prefixes, the values of literals without quotes
// and without the datatypes of XML Schema.
type speller struct{ names *turtle.Shortener }

// newSpeller returns a speller by prefixes without their colons. Those that Turtle cannot
// hold are passed over.
func newSpeller(prefixes map[string]string) speller {
	good := make(map[string]string, len(prefixes))
	for p, iri := range prefixes {
		if _, err := turtle.NewShortener(map[string]string{p: iri}); err == nil {
			good[p] = iri
		}
	}
	names, _ := turtle.NewShortener(good) // each of them is right
	return speller{names}
}

// cell spells the term of a surface.
func (s speller) cell(surface []byte) cell {
	if len(surface) == 0 {
		return cell{}
	}
	c := cell{kind: rdf.KindOf(surface)}
	switch c.kind {
	case rdf.KindLiteral:
		s.literal(&c, surface)
	default:
		c.text = string(s.names.AppendTerm(nil, surface))
	}
	c.text = display.Clean(c.text)
	return c
}

// literal spells a literal. An empty text has quotes, so that it is not taken for nothing;
// so have numbers that are none.
func (s speller) literal(c *cell, surface []byte) {
	escaped, lang, dir, datatype := literal(surface)
	text := string(escaped)
	if strings.IndexByte(text, '\\') >= 0 {
		text = string(rdf.Unescape(nil, escaped))
	}
	local, xsd := strings.CutPrefix(string(datatype), rdf.XSD)
	switch {
	case len(lang) > 0:
		c.text = text + "@" + string(lang)
		if len(dir) > 0 {
			c.text += "--" + string(dir)
		}
	case text == "" && len(datatype) == 0:
		c.text = `""`
	case len(datatype) == 0:
		c.text = text
	case xsd && isNumeric(local) && isNumber(text):
		c.text, c.number = text, true
	case xsd && text != "" && !isNumeric(local):
		c.text = text
	default:
		c.text = text + "^^" + string(s.names.AppendIRI(nil, []byte("<"+string(datatype)+">")))
	}
}

// isNumeric reports whether a name of XML Schema is that of a type of numbers.
func isNumeric(local string) bool {
	switch local {
	case "integer", "decimal", "double", "float", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger",
		"nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte":
		return true
	}
	return false
}

// isNumber reports whether a text looks like a number of XML Schema.
func isNumber(text string) bool {
	switch text {
	case "INF", "-INF", "+INF", "NaN":
		return true
	}
	digits := false
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits = true
		case strings.IndexByte("+-.eE", c) < 0:
			return false
		}
	}
	return digits
}
