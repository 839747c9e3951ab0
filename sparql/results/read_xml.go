package results

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
)

const sparqlNS = "http://www.w3.org/2005/sparql-results#"

// xmlReader reads SPARQL Query Results XML row by row.
type xmlReader struct {
	d       *xml.Decoder
	vars    []string
	at      map[string]int
	boolean *bool
	open    bool // inside of results
}

func newXMLReader(r io.Reader) (*xmlReader, error) {
	x := &xmlReader{d: xml.NewDecoder(r)}
	root, err := x.start()
	if err != nil {
		return nil, err
	}
	if root.Name.Local != "sparql" {
		return nil, syntaxError("the root is %q, not sparql", root.Name.Local)
	}
	for {
		e, err := x.start()
		if err != nil {
			return nil, err
		}
		switch e.Name.Local {
		case "head":
			if err := x.head(); err != nil {
				return nil, err
			}
		case "boolean":
			text, err := x.text()
			if err != nil {
				return nil, err
			}
			b := strings.TrimSpace(text)
			if b != "true" && b != "false" {
				return nil, syntaxError("the boolean %.40q", text)
			}
			answer := b == "true"
			x.boolean = &answer
			return x, x.finish()
		case "results":
			x.open = true
			x.at, err = index(x.vars)
			return x, err
		default:
			if err := x.d.Skip(); err != nil {
				return nil, xmlError(err)
			}
		}
	}
}

// token returns the next token that is a start, an end or text with ink.
func (x *xmlReader) token() (xml.Token, error) {
	for {
		t, err := x.d.Token()
		if err != nil {
			return nil, xmlError(err)
		}
		switch t := t.(type) {
		case xml.StartElement, xml.EndElement:
			return t, nil
		case xml.CharData:
			if strings.TrimSpace(string(t)) != "" {
				return nil, syntaxError("text %.40q between elements", string(t))
			}
		}
	}
}

// start expects the beginning of an element.
func (x *xmlReader) start() (xml.StartElement, error) {
	t, err := x.token()
	if err != nil {
		return xml.StartElement{}, err
	}
	e, ok := t.(xml.StartElement)
	if !ok {
		return e, syntaxError("an element is missing at byte %d", x.d.InputOffset())
	}
	if e.Name.Space != sparqlNS && e.Name.Space != "" {
		return e, syntaxError("an element of the namespace %.80q", e.Name.Space)
	}
	return e, nil
}

// next returns the next child, or false at the end of the element.
func (x *xmlReader) next() (e xml.StartElement, more bool, err error) {
	t, err := x.token()
	if err != nil {
		return e, false, err
	}
	e, more = t.(xml.StartElement)
	return e, more, nil
}

// end expects the end of an element.
func (x *xmlReader) end() error {
	e, more, err := x.next()
	if err == nil && more {
		err = syntaxError("%q where an element should end", e.Name.Local)
	}
	return err
}

// text returns the text up to the end of the element.
func (x *xmlReader) text() (string, error) {
	var b strings.Builder
	for {
		t, err := x.d.Token()
		if err != nil {
			return "", xmlError(err)
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.EndElement:
			return b.String(), nil
		case xml.StartElement:
			return "", syntaxError("%q inside of text", t.Name.Local)
		}
	}
}

func xmlError(err error) error {
	if _, ok := err.(*xml.SyntaxError); ok {
		return syntaxError("%v", err)
	}
	return cut(err)
}

// head reads the variables.
func (x *xmlReader) head() error {
	for {
		e, more, err := x.next()
		if err != nil || !more {
			return err
		}
		if e.Name.Local == "variable" {
			x.vars = append(x.vars, attribute(e, "name"))
		}
		if err := x.d.Skip(); err != nil {
			return xmlError(err)
		}
	}
}

// attribute returns the value of an attribute by its local name.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// finish reads to the end of the document.
func (x *xmlReader) finish() error {
	if err := x.end(); err != nil {
		return err
	}
	for {
		t, err := x.d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return xmlError(err)
		}
		if _, ok := t.(xml.StartElement); ok {
			return syntaxError("something after the end")
		}
	}
}

// Vars implements [Reader].
func (x *xmlReader) Vars() []string { return x.vars }

// Boolean implements [Reader].
func (x *xmlReader) Boolean() (b, is bool) {
	if x.boolean == nil {
		return false, false
	}
	return *x.boolean, true
}

// Read implements [Reader].
func (x *xmlReader) Read(row []rdf.Term) error {
	if err := checkRow(row, x.vars); err != nil {
		return err
	}
	if !x.open {
		return io.EOF
	}
	e, more, err := x.next()
	switch {
	case err != nil:
		return err
	case !more:
		x.open = false
		if err := x.finish(); err != nil {
			return err
		}
		return io.EOF
	case e.Name.Local != "result":
		return syntaxError("%q among the results", e.Name.Local)
	}
	for {
		e, more, err := x.next()
		if err != nil || !more {
			return err
		}
		name := attribute(e, "name")
		i, known := x.at[name]
		if e.Name.Local != "binding" || !known {
			return syntaxError("%q for the variable %.80q, which is not in the head", e.Name.Local, name)
		}
		if e, err = x.start(); err != nil {
			return err
		}
		if e.Name.Local == "unbound" {
			err = x.d.Skip()
		} else {
			row[i], err = x.term(e, 0)
		}
		if err != nil {
			return err
		}
		if err := x.end(); err != nil {
			return err
		}
	}
}

// term reads the term of an element that has begun.
func (x *xmlReader) term(e xml.StartElement, depth int) (rdf.Term, error) {
	if e.Name.Local == "triple" {
		if depth == maxDepth {
			return rdf.Term{}, syntaxError("triple terms nest too deep")
		}
		var parts [3]rdf.Term
		for range parts {
			slot, err := x.start()
			if err != nil {
				return rdf.Term{}, err
			}
			i := slices.Index([]string{"subject", "predicate", "object"}, slot.Name.Local)
			if i < 0 {
				return rdf.Term{}, syntaxError("%.40q inside of a triple term", slot.Name.Local)
			}
			inner, err := x.start()
			if err != nil {
				return rdf.Term{}, err
			}
			if parts[i], err = x.term(inner, depth+1); err != nil {
				return rdf.Term{}, err
			}
			if err := x.end(); err != nil {
				return rdf.Term{}, err
			}
		}
		if err := x.end(); err != nil {
			return rdf.Term{}, err
		}
		if parts[2].IsZero() {
			return rdf.Term{}, syntaxError("a triple term without an object")
		}
		return tripleTerm(parts)
	}
	lang, dir, datatype := "", "", attribute(e, "datatype")
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "lang":
			lang = a.Value
		case "dir":
			dir = a.Value
		}
	}
	text, err := x.text()
	if err != nil {
		return rdf.Term{}, err
	}
	switch e.Name.Local {
	case "uri":
		return iri(text)
	case "bnode":
		return blank(text), nil
	case "literal":
		return makeLiteral(text, lang, dir, datatype)
	}
	return rdf.Term{}, syntaxError("a term %.40q", e.Name.Local)
}
