package rdfxml

import (
	"encoding/xml"
	"strings"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

const (
	xmlNS   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNS = "http://www.w3.org/2000/xmlns/" // no prefix may stand for it (Namespaces in XML, 3)
	itsNS   = "http://www.w3.org/2005/11/its"
)

// Names of the RDF namespace with a meaning in the syntax (RDF/XML 1.1,
// sections 6.2.2 to 6.2.7).
var (
	coreSyntax = map[string]bool{
		"RDF": true, "ID": true, "about": true, "parseType": true, "resource": true, "nodeID": true, "datatype": true,
		"annotation": true, "annotationNodeID": true, "version": true,
	}
	oldTerms = map[string]bool{"aboutEach": true, "aboutEachPrefix": true, "bagID": true}
	// withoutNamespace may be written without a namespace, as old documents do.
	withoutNamespace = map[string]bool{"ID": true, "about": true, "resource": true, "parseType": true, "type": true}
)

// namespaces holds what prefixes mean at the element at hand, and what each meant first.
type namespaces struct {
	at    map[string][]string
	first *prefixes.Declared
}

func newNamespaces() namespaces {
	return namespaces{at: map[string][]string{"xml": {xmlNS}}, first: new(prefixes.Declared)}
}

// declare takes the declarations among attrs and returns their prefixes, for
// undeclare.
func (n namespaces) declare(attrs []xml.Attr) (declared []string, bad string) {
	for _, a := range attrs {
		prefix := ""
		switch {
		case a.Name.Space == "xmlns":
			prefix = a.Name.Local
			if a.Value == "" || prefix == "xmlns" || (prefix == "xml") != (a.Value == xmlNS) {
				return declared, "xmlns:" + prefix + "=\"" + a.Value + "\""
			}
		case a.Name.Space != "" || a.Name.Local != "xmlns":
			continue
		}
		n.at[prefix] = append(n.at[prefix], a.Value)
		if a.Value != "" && prefix != "xml" {
			n.first.Add(prefix, a.Value)
		}
		declared = append(declared, prefix)
	}
	return declared, ""
}

func (n namespaces) undeclare(declared []string) {
	for _, p := range declared {
		if stack := n.at[p]; len(stack) > 1 {
			n.at[p] = stack[:len(stack)-1]
		} else {
			delete(n.at, p)
		}
	}
}

// lookup returns the namespace of a prefix; ok is false if it has none. The
// empty prefix always has one, which may be empty.
func (n namespaces) lookup(prefix string) (uri string, ok bool) {
	stack := n.at[prefix]
	if len(stack) == 0 {
		return "", prefix == ""
	}
	return stack[len(stack)-1], true
}

// rawName is a name as the document writes it.
func rawName(n xml.Name) string {
	if n.Space != "" {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

func isBlankText(b []byte) bool {
	return len(strings.Trim(string(b), " \t\r\n")) == 0
}

// isNCName reports whether s is an XML name without a colon.
func isNCName(s string) bool {
	b := []byte(s)
	for i := 0; i < len(b); {
		if b[i] == '.' && i > 0 {
			i++
			continue
		}
		n := lex.NameRune(b, i, i == 0)
		if n == 0 || i == 0 && lex.Class[b[0]]&lex.ClassDigit != 0 {
			return false
		}
		i += n
	}
	return len(b) > 0
}

// Terms of the vocabulary that the syntax produces.
var (
	rdfType      = rdf.IRI(rdf.RDF + "type")
	rdfFirst     = rdf.IRI(rdf.RDF + "first")
	rdfRest      = rdf.IRI(rdf.RDF + "rest")
	rdfNil       = rdf.IRI(rdf.RDF + "nil")
	rdfReifies   = rdf.IRI(rdf.RDF + "reifies")
	rdfStatement = rdf.IRI(rdf.RDF + "Statement")
	rdfSubject   = rdf.IRI(rdf.RDF + "subject")
	rdfPredicate = rdf.IRI(rdf.RDF + "predicate")
	rdfObject    = rdf.IRI(rdf.RDF + "object")
)

const xmlLiteral = rdf.RDF + "XMLLiteral"
