package turtle

import (
	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// begin takes the start of a statement, a directive, or the start or end of a
// graph. No frame is open.
func (r *Reader) begin() (done bool, err *lex.Error) {
	c := r.peek(0)
	if c == 0 && r.i == r.source.end {
		if r.inGraph {
			return false, r.fault("'}' at the end of a graph")
		}
		return true, nil
	}
	switch {
	case r.inGraph && c == '}':
		r.i++
		r.inGraph, r.graph = false, nil
		return false, nil
	case r.trig && !r.inGraph && c == '{':
		r.i++
		r.inGraph = true
		return false, nil
	case !r.inGraph && c == '@':
		return false, r.atDirective()
	case !r.inGraph && lex.Class[c]&lex.ClassAlpha != 0:
		if taken, err := r.keyword(); taken || err != nil {
			return false, err
		}
	}
	return false, r.subject(c)
}

// keyword takes a directive or a graph that begins with a keyword.
func (r *Reader) keyword() (taken bool, err *lex.Error) {
	switch {
	case r.word("PREFIX", true):
		return true, r.prefix()
	case r.word("BASE", true):
		return true, r.setBase()
	case r.word("VERSION", true):
		return true, r.version()
	case r.trig && r.word("GRAPH", true):
		return true, r.namedGraph()
	}
	return false, nil
}

func (r *Reader) atDirective() (err *lex.Error) {
	r.i++
	switch {
	case r.bareWord("prefix", false):
		err = r.prefix()
	case r.bareWord("base", false):
		err = r.setBase()
	case r.bareWord("version", false):
		err = r.version()
	default:
		return r.fault("prefix, base or version after '@'")
	}
	if err == nil {
		err = r.skip()
	}
	if err == nil && r.peek(0) != '.' {
		err = r.fault("'.' at the end of the directive")
	}
	if err == nil {
		r.i++
	}
	return err
}

func (r *Reader) prefix() *lex.Error {
	if err := r.skip(); err != nil {
		return err
	}
	colon := prefixes.End(r.window())
	for colon < 0 && r.retry(-colon) {
		colon = prefixes.End(r.window())
	}
	if colon < 0 {
		return r.fault("a prefix that ends with ':'")
	}
	prefix := string(r.window()[:colon])
	r.i += colon + 1
	namespace, err := r.plainIRI("the namespace of the prefix (an IRI in < >)")
	if err == nil {
		r.prefixes[prefix] = namespace
		r.declared.Add(prefix, namespace)
	}
	return err
}

func (r *Reader) setBase() *lex.Error {
	base, err := r.plainIRI("the base (an IRI in < >)")
	if err != nil {
		return err
	}
	b, bad := iri.NewBase(base)
	if bad != nil {
		return &lex.Error{Expected: "a base IRI", Found: bad.Error()}
	}
	r.base = b
	return nil
}

// plainIRI takes the IRI in brackets that is next and returns its text.
func (r *Reader) plainIRI(expected string) (string, *lex.Error) {
	if err := r.skip(); err != nil {
		return "", err
	}
	if r.peek(0) != '<' {
		return "", r.fault(expected)
	}
	b, err := r.iriRef(nil)
	if err != nil {
		return "", err
	}
	return string(b[1 : len(b)-1]), nil
}

// version takes the version of RDF that a document announces; any will do.
func (r *Reader) version() *lex.Error {
	if err := r.skip(); err != nil {
		return err
	}
	c := r.peek(0)
	if c != '"' && c != '\'' || r.peek(1) == c && r.peek(2) == c {
		return r.fault("a version in one pair of quotes")
	}
	_, err := r.text(nil)
	return err
}

func (r *Reader) namedGraph() (err *lex.Error) {
	if err := r.skip(); err != nil {
		return err
	}
	var name []byte
	switch r.peek(0) {
	case '_':
		name, err = r.blank(nil)
	case '[':
		name, err = r.anonymous(nil)
	default:
		name, err = r.iri(nil, "the name of a graph (an IRI or a blank node)")
	}
	if err == nil {
		err = r.skip()
	}
	if err == nil && r.peek(0) != '{' {
		err = r.fault("'{' of a graph")
	}
	if err == nil {
		r.openGraph(name)
	}
	return err
}

func (r *Reader) openGraph(name []byte) {
	r.i++
	r.inGraph, r.graph = true, append([]byte(nil), name...)
}

// subject takes the subject that begins with c, or the name of a graph.
func (r *Reader) subject(c byte) *lex.Error {
	f, err := r.push(inStatement, wantVerb, nil)
	if err != nil {
		return err
	}
	switch {
	case c == '[':
		return r.bracketSubject(f)
	case c == '(':
		return r.listSubject(f)
	case c == '_':
		f.s, err = r.blank(f.s)
	case c == '<' && r.peek(1) == '<':
		if r.peek(2) == '(' {
			return r.fault("a subject (a triple term may be an object only)")
		}
		f.s, err = r.angles(f.s, 0)
		f.state = wantVerbOrEnd
		return err
	default:
		f.s, err = r.iri(f.s, r.expectedSubject())
	}
	if err != nil {
		return err
	}
	return r.maybeGraph(f)
}

func (r *Reader) expectedSubject() string {
	switch {
	case r.inGraph:
		return "a subject or '}'"
	case r.trig:
		return "a subject, a graph or a directive"
	}
	return "a subject or a directive"
}

// maybeGraph makes a subject the name of a graph if a '{' follows.
func (r *Reader) maybeGraph(f *frame) *lex.Error {
	if !r.trig || r.inGraph {
		return nil
	}
	if err := r.skip(); err != nil {
		return err
	}
	if r.peek(0) == '{' {
		r.openGraph(f.s)
		r.depth--
	}
	return nil
}

func (r *Reader) bracketSubject(f *frame) *lex.Error {
	r.i++
	if err := r.skip(); err != nil {
		return err
	}
	f.s = r.labels.Fresh(f.s)
	if r.peek(0) == ']' {
		r.i++
		return r.maybeGraph(f)
	}
	f.state = wantVerbOrEnd
	_, err := r.push(inBrackets, wantVerb, f.s)
	return err
}

func (r *Reader) listSubject(f *frame) *lex.Error {
	r.i++
	if err := r.skip(); err != nil {
		return err
	}
	if r.peek(0) == ')' {
		r.i++
		f.s = append(f.s, rdfNil...)
		return nil
	}
	f.s = r.labels.Fresh(f.s)
	_, err := r.push(inList, wantElement, f.s)
	return err
}
