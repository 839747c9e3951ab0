package rdfio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// detectBytes is how much of a document its syntax is told by.
const detectBytes = 64 << 10

// Detect returns the syntax of a document, by its name or, where that does not tell, by the
// first bytes of its unpacked content; and a reader of all of that content, r included.
// Content that is no RDF is [ErrUnknownFormat].
func Detect(name string, r io.Reader) (io.Reader, Format, error) {
	if f := FormatOf(name); f != Unknown {
		return r, f, nil
	}
	b, ok := r.(*bufio.Reader)
	if !ok || b.Size() < detectBytes {
		b = bufio.NewReaderSize(r, detectBytes)
	}
	head, err := b.Peek(detectBytes)
	if err != nil && err != io.EOF {
		return nil, Unknown, fmt.Errorf("%s: %w", name, err)
	}
	f, what := formatOfContent(head, err == io.EOF)
	if f == Unknown {
		return nil, f, fmt.Errorf("%s: %w: %s", name, ErrUnknownFormat, what)
	}
	return b, f, nil
}

// formatOfContent tells the syntax that begins with head, which is all of it if whole is
// set. Of syntaxes that hold one another it is the largest: N-Quads for N-Triples, TriG for
// Turtle. what describes other content.
func formatOfContent(head []byte, whole bool) (f Format, what string) {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return RDFXML, "" // the one syntax in UTF-16
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(text) == 0 && whole:
		return Unknown, "it is empty"
	case bytes.HasPrefix(text, []byte("RETE")):
		return Unknown, "it is a segment"
	case isXML(text):
		if bytes.Contains(text, []byte(rdf.RDF)) {
			return RDFXML, ""
		}
		return Unknown, "it is XML or HTML without the namespace of RDF"
	case isJSON(text):
		return JSONLD, ""
	case isLines(head, whole):
		return NQuads, ""
	case looksTurtle(text):
		return TriG, ""
	}
	return Unknown, "it begins like none"
}

// isXML reports whether text begins like XML or HTML: an IRI in angle brackets has no blank,
// and no ? or ! at its start.
func isXML(text []byte) bool {
	if len(text) < 2 || text[0] != '<' || text[1] == '<' {
		return false // << begins a triple
	}
	if text[1] == '?' || text[1] == '!' {
		return true
	}
	end := bytes.IndexAny(text, "> \t\r\n")
	return end > 1 && (text[end] != '>' || bytes.EqualFold(text[:end], []byte("<html")))
}

// isJSON reports whether text begins like a JSON object or array, where TriG would go on
// otherwise.
func isJSON(text []byte) bool {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	if text[0] == '{' {
		return rest[0] == '"'
	}
	return rest[0] == '{' || rest[0] == '"' || rest[0] == '['
}

// isLines reports whether the whole lines of head are statements of N-Quads, and at least
// one is.
func isLines(head []byte, whole bool) bool {
	if !whole {
		head = head[:nquads.Cut(head)]
	}
	r := nquads.NewBlockReader(head, 1, rdf.Options{})
	var q rdf.RawQuad
	for n := 0; ; n++ {
		if err := r.Read(&q); err != nil {
			return err == io.EOF && n > 0
		}
	}
}

// looksTurtle reports whether text may be TriG: nothing but comments, or a first token that
// one begins with.
func looksTurtle(text []byte) bool {
	for len(text) > 0 && text[0] == '#' {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return true
		}
		text = bytes.TrimLeft(text[end:], " \t\r\n")
	}
	if len(text) == 0 {
		return true
	}
	switch text[0] {
	case '@', '<', '[', '(', '{':
		return true
	}
	end := bytes.IndexAny(text, " \t\r\n<")
	if end < 0 {
		end = len(text)
	}
	word := text[:end]
	for _, keyword := range []string{"prefix", "base", "version", "graph"} {
		if bytes.EqualFold(word, []byte(keyword)) {
			return true
		}
	}
	// A name with a prefix, or the label of a blank node.
	return utf8.Valid(word) && bytes.IndexByte(word, ':') >= 0 && !bytes.ContainsAny(word, `,;"'=(){}`)
}
