package parse

import (
	"slices"

	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Prefix is a prefix without its colon, and the namespace that it stands for.
type Prefix struct{ Name, IRI string }

// DeclaredPrefixes returns the namespaces by prefix that a query or update declares at its
// beginning. opt are the options that the text was read with; it was read without an error.
func DeclaredPrefixes(text string, opt *ast.Options) map[string]string {
	p, err := newParser(new(work.Meter), text, opt)
	if err != nil {
		return nil
	}
	p.prologue()
	return p.prefixes
}

// UsedPrefixes returns the prefixes of the names that a query has for what may be in the data,
// in the order of the text: not those of functions and datatypes, nor what is for an endpoint
// of SERVICE. opt are the options that the text was read with; it was read without an error.
func UsedPrefixes(text string, opt *ast.Options) []Prefix {
	p, err := newParser(new(work.Meter), text, opt)
	if err != nil {
		return nil
	}
	var out []Prefix
	var before kind
	depth, remote := 0, -1 // of braces; that of the group of SERVICE, -1 outside of it
	p.prologue()
	for p.tok.kind != kEOF {
		t := p.tok
		p.advance()
		switch t.kind {
		case kService:
			if remote < 0 {
				remote = depth
			}
		case kLBrace:
			depth++
		case kRBrace:
			if depth--; depth == remote {
				remote = -1
			}
		case kPName:
			if remote >= 0 || before == kTypeMark || p.tok.kind == kLParen && beforeFunction(before) {
				break
			}
			name := p.source(t)
			name = name[:slices.Index([]byte(name), ':')]
			space, ok := p.namespace(name)
			if u := (Prefix{name, space}); ok && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		before = t.kind
	}
	return out
}

// beforeFunction reports whether a name with a parenthesis after it is a function, by the token
// before: in a triple it may be a predicate whose object is a list.
func beforeFunction(before kind) bool {
	if _, power := binary(before); power > 0 {
		return true
	}
	switch before {
	case kFilter, kHaving, kBy, kLParen, kComma, kBang:
		return true
	}
	return false
}

// Prefixes reads a text of PREFIX and BASE declarations, as a query begins
// with, and returns the namespaces by prefix. The error is a [*SyntaxError].
func Prefixes(text string) (map[string]string, error) {
	p, err := newParser(new(work.Meter), text, nil)
	if err != nil {
		return nil, err
	}
	p.prefixes = make(map[string]string)
	p.prologue()
	p.expect(kEOF)
	if p.err != nil {
		return nil, p.err
	}
	return p.prefixes, nil
}
