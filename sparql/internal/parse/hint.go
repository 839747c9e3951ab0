package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rete-go/rete/sparql/internal/ast"
)

const (
	// maxFound is how many bytes of a token a message shows.
	maxFound = 40
	// maxKnown is how many declared prefixes are searched for one that was meant.
	maxKnown = 1000
)

// shorten cuts a piece of the text for a message.
func shorten(s string) string {
	if len(s) <= maxFound {
		return ast.Clean(s)
	}
	end := maxFound
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return ast.Clean(s[:end]) + "…"
}

// expectedMessage is the sentence for an unexpected token.
func expectedMessage(expected []string, found string, end bool) string {
	var b strings.Builder
	if len(expected) > 0 {
		b.WriteString("expected ")
		for i, e := range expected {
			switch {
			case i == 0:
			case i == len(expected)-1:
				b.WriteString(" or ")
			default:
				b.WriteString(", ")
			}
			b.WriteString(showExpected(e))
		}
		b.WriteString(", ")
	}
	if end {
		return b.String() + "found the end of the text"
	}
	if len(expected) == 0 {
		return quote(found) + " cannot stand here"
	}
	return b.String() + "found " + quote(found)
}

// showExpected puts signs in quotes; words stand without.
func showExpected(name string) string {
	if is(name[0], cLetter) {
		return name
	}
	return `"` + name + `"`
}

// hint says what was probably meant by a token that cannot stand here.
func (p *parser) hint(t token) string {
	word := p.source(t)
	switch t.kind {
	case kWord:
		return p.wordHint(word)
	case kLess:
		if !p.want.has(kOperator) {
			return p.brokenIRI(t)
		}
	case kEqual:
		if t.start > 0 && p.text[t.start-1] == '=' {
			return "equality is a single ="
		}
	case kComma:
		if p.want.has(kVar) && !p.want.has(kRParen) {
			return "variables are separated by blanks"
		}
	case kAggregate, kFunc:
		if p.want.has(kVar) && p.want.has(kLParen) {
			return "an expression stands in parentheses and has a name: (" + strings.ToUpper(word) + "(…) AS ?name)"
		}
		if p.text[t.end:min(len(p.text), int(t.end)+1)] == ":" {
			return ""
		}
	case kVar, kBang, kInteger, kString:
		if p.want.has(kFilterExpr) {
			return "put the expression in parentheses"
		}
	case kInsert, kDelete, kLoad, kClear, kDrop, kCreate, kAdd, kMove, kCopy, kWith:
		if p.want.has(kSelect) && p.want.has(kAsk) {
			return "this is an update, not a query"
		}
	case kSelect, kAsk, kConstruct, kDescribe:
		if p.want.has(kUpdate) {
			return "this is a query, not an update"
		}
		if p.want.has(kRBrace) {
			return "a sub-select stands in braces of its own: { SELECT … }"
		}
	case kRBrace:
		if p.want.has(kEOF) {
			return "there are more closing than opening braces"
		}
	case kMinus:
		if p.want.has(kInteger) {
			return "the number must not be negative"
		}
	case kInto:
		if p.want.has(kData) {
			return "the graph stands inside the braces: INSERT { GRAPH … { … } }"
		}
	}
	if p.want.has(kDot) && p.want.has(kSemicolon) && p.tripleStart() {
		return "triples are separated by dots"
	}
	return ""
}

// brokenIRI says why the text at a < is no IRI.
func (p *parser) brokenIRI(t token) string {
	i := int(t.start) + 1
	for i < len(p.text) && is(p.text[i], cIRI) {
		i++
	}
	switch {
	case i == int(t.start)+1:
		return ""
	case i == len(p.text):
		return "an IRI ends with >"
	case is(p.text[i], cSpace):
		return "an IRI has no blanks in it and ends with >"
	}
	return "an IRI cannot have " + quote(p.text[i:i+1]) + " in it"
}

// wordHint says which keyword an unknown word is near to.
func (p *parser) wordHint(word string) string {
	low := lower(word)
	switch {
	case low == "and" && p.want.has(kOperator):
		return `"and" is written &&`
	case low == "or" && p.want.has(kOperator):
		return `"or" is written ||`
	case low == "null":
		return "there is no null; ask with BOUND(?v)"
	case low == "else" || low == "then" || low == "case":
		return "conditions are written IF(condition, then, else)"
	}
	if p.want.has(kPName) || p.want.has(kTerm) {
		if p.at(int(p.tok.end)) == ' ' && strings.HasPrefix(strings.TrimLeft(p.text[p.tok.end:], " "), ":") {
			return "a prefix and its colon stand together"
		}
	}
	if p.want.has(kPName) && !p.want.has(kIRI) {
		return "a prefix is a name and a colon"
	}
	var names []string
	for name, k := range keywords {
		if p.wants(k.kind) {
			names = append(names, name)
		}
	}
	if best := nearest(low, names); len(best) > 0 {
		return "did you mean " + keywordName(best[0]) + "?"
	}
	if p.want.has(kTerm) || p.want.has(kExpression) || p.want.has(kPredicate) {
		return "a variable begins with ?, an IRI stands in <>, a string in quotes"
	}
	return ""
}

// wants reports whether a keyword of kind k could stand here, also as the first
// of something larger.
func (p *parser) wants(k kind) bool {
	switch k {
	case kFunc, kAggregate, kNot, kExists:
		return p.want.has(k) || p.want.has(kExpression) || p.want.has(kFilterExpr)
	case kTrue, kFalse:
		return p.want.has(kExpression) || p.want.has(kTerm) || p.want.has(kDataValue)
	case kOptional, kFilter, kBind, kGraph, kMinusWord, kValues, kService, kUnion:
		return p.want.has(k) || p.want.has(kPattern)
	case kInsert, kDelete, kWith, kLoad, kClear, kDrop, kCreate, kAdd, kMove, kCopy:
		return p.want.has(k) || p.want.has(kUpdate)
	}
	return p.want.has(k)
}

// keywordName returns a keyword as SPARQL spells it.
func keywordName(low string) string {
	switch k := keywords[low]; k.kind {
	case kFunc:
		return ast.Func(k.val).String()
	case kTrue, kFalse:
		return low
	}
	return strings.ToUpper(low)
}

// undeclared reports a prefix that was not declared, with names near to it.
func (p *parser) undeclared(t token, name string) {
	if p.err != nil {
		return
	}
	hint := ""
	var known []string
	if len(p.prefixes)+len(p.opt.Prefixes) <= maxKnown {
		known = slices.AppendSeq(known, maps.Keys(p.prefixes))
		known = slices.AppendSeq(known, maps.Keys(p.opt.Prefixes))
	}
	ns, usual := ast.WellKnownPrefixes()[name]
	switch near := nearest(name, known); {
	case usual:
		hint = "usually PREFIX " + name + ": <" + ns + ">"
	case len(near) > 0:
		hint = "did you mean " + strings.Join(near, ": or ") + ":?"
	case len(known) > 0 && len(known) <= 8:
		slices.Sort(known)
		hint = "declared are " + strings.Join(slices.Compact(known), ":, ") + ":"
	}
	p.stop(&ast.SyntaxError{Offset: int(t.start), Undeclared: true, Msg: "the prefix " + quote(shorten(name)+":") + " is not declared", Hint: hint})
}

// nearest returns up to three names that differ from name by the fewest
// letters, and by at most a third of them, in order.
func nearest(name string, names []string) []string {
	if len(name) > 32 {
		return nil
	}
	limit := max(1, len(name)/3)
	best := limit + 1
	var found []string
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		d := limit + 1
		if len(n) <= 64 && len(n)-len(name) <= limit && len(name)-len(n) <= limit {
			d = distance(name, n)
		}
		if d > limit || d > best || d >= len(name) && d >= len(n) {
			continue
		}
		if d < best {
			best, found = d, found[:0]
		}
		if len(found) < 3 {
			found = append(found, n)
		}
	}
	return found
}

// distance is the number of letters to insert, drop, change or swap with their
// neighbour to make b of a.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	older, old, cur := rows[0], rows[1], rows[2]
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(old[j]+1, cur[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, old, cur = old, cur, older
	}
	return old[len(b)]
}

// number spells a count in a message.
func number(n int) string { return strconv.Itoa(n) }

// plural spells a count of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}
