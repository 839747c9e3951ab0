package parse

import (
	"math/bits"

	"github.com/rete-go/rete/sparql/internal/ast"
)

// kind is the kind of a token, or a name for a larger thing in a set of what
// was expected.
type kind uint8

const (
	kEOF kind = iota
	kIRI
	kPName // prefix:local, prefix:
	kBlankLabel
	kVar
	kLangTag
	kInteger
	kDecimal
	kDouble
	kString
	kLongString
	kWord      // a word that is no keyword
	kFunc      // the name of a built-in function; val is the Func
	kAggregate // the name of a set function; val is the AggregateKind

	// Signs.
	kLParen
	kRParen
	kLBrace
	kRBrace
	kLBracket
	kRBracket
	kDot
	kComma
	kSemicolon
	kEqual
	kNotEqual
	kLess
	kGreater
	kLessOrEqual
	kGreaterOrEqual
	kReifiedOpen     // <<
	kReifiedClose    // >>
	kTripleOpen      // <<(
	kTripleClose     // )>>
	kAnnotationOpen  // {|
	kAnnotationClose // |}
	kTilde
	kCaret
	kTypeMark // ^^
	kSlash
	kBar
	kOrOr
	kAndAnd
	kBang
	kStar
	kPlus
	kMinus
	kQuestion

	// Keywords.
	kA
	kAdd
	kAll
	kAs
	kAsc
	kAsk
	kBase
	kBind
	kBy
	kClear
	kConstruct
	kCopy
	kCreate
	kData
	kDefault
	kDelete
	kDesc
	kDescribe
	kDistinct
	kDrop
	kExists
	kFalse
	kFilter
	kFrom
	kGraph
	kGroup
	kHaving
	kIn
	kInsert
	kInto
	kLateral
	kLimit
	kLoad
	kMinusWord
	kMove
	kNamed
	kNot
	kOffset
	kOptional
	kOrder
	kPrefix
	kReduced
	kSelect
	kSeparator
	kService
	kSilent
	kTo
	kTrue
	kUndef
	kUnion
	kUsing
	kValues
	kVersion
	kWhere
	kWith

	// Larger things, in sets only.
	kExpression
	kOperator
	kTerm      // a term of RDF
	kPredicate // a verb: variable, IRI, a, path
	kPath
	kPattern    // something in a group
	kUpdate     // an operation
	kDataValue  // a value of VALUES
	kFilterExpr // what may follow FILTER or HAVING
	kPathOp

	numKinds
)

// kindNames are what a set of expected things and messages say. Signs and
// keywords stand as themselves.
var kindNames = [numKinds]string{
	kEOF: "end of text", kIRI: "IRI", kPName: "prefixed name", kBlankLabel: "blank node", kVar: "variable",
	kLangTag: "language tag", kInteger: "integer", kDecimal: "decimal", kDouble: "double", kString: "string",
	kLongString: "string", kWord: "word", kFunc: "function", kAggregate: "aggregate",

	kLParen: "(", kRParen: ")", kLBrace: "{", kRBrace: "}", kLBracket: "[", kRBracket: "]", kDot: ".", kComma: ",",
	kSemicolon: ";", kEqual: "=", kNotEqual: "!=", kLess: "<", kGreater: ">", kLessOrEqual: "<=", kGreaterOrEqual: ">=",
	kReifiedOpen: "<<", kReifiedClose: ">>", kTripleOpen: "<<(", kTripleClose: ")>>", kAnnotationOpen: "{|",
	kAnnotationClose: "|}", kTilde: "~", kCaret: "^", kTypeMark: "^^", kSlash: "/", kBar: "|", kOrOr: "||",
	kAndAnd: "&&", kBang: "!", kStar: "*", kPlus: "+", kMinus: "-", kQuestion: "?",

	kA: "a", kAdd: "ADD", kAll: "ALL", kAs: "AS", kAsc: "ASC", kAsk: "ASK", kBase: "BASE", kBind: "BIND", kBy: "BY",
	kClear: "CLEAR", kConstruct: "CONSTRUCT", kCopy: "COPY", kCreate: "CREATE", kData: "DATA", kDefault: "DEFAULT",
	kDelete: "DELETE", kDesc: "DESC", kDescribe: "DESCRIBE", kDistinct: "DISTINCT", kDrop: "DROP", kExists: "EXISTS",
	kFalse: "false", kFilter: "FILTER", kFrom: "FROM", kGraph: "GRAPH", kGroup: "GROUP BY", kHaving: "HAVING", kIn: "IN",
	kInsert: "INSERT", kInto: "INTO", kLateral: "LATERAL", kLimit: "LIMIT", kLoad: "LOAD", kMinusWord: "MINUS", kMove: "MOVE", kNamed: "NAMED",
	kNot: "NOT", kOffset: "OFFSET", kOptional: "OPTIONAL", kOrder: "ORDER BY", kPrefix: "PREFIX", kReduced: "REDUCED",
	kSelect: "SELECT", kSeparator: "SEPARATOR", kService: "SERVICE", kSilent: "SILENT", kTo: "TO", kTrue: "true",
	kUndef: "UNDEF", kUnion: "UNION", kUsing: "USING", kValues: "VALUES", kVersion: "VERSION", kWhere: "WHERE", kWith: "WITH",

	kExpression: "expression", kOperator: "operator", kTerm: "term", kPredicate: "predicate", kPath: "path",
	kPattern: "graph pattern", kUpdate: "update operation", kDataValue: "IRI or literal", kFilterExpr: "expression in parentheses",
	kPathOp: "path operator",
}

// keyword is what a word stands for.
type keyword struct {
	kind kind
	val  uint8
}

// keywords maps words in lower case. `a` is not among them: it has no capitals.
var keywords = func() map[string]keyword {
	m := make(map[string]keyword, 160)
	for k := kAdd; k <= kWith; k++ {
		m[lower(kindNames[k])] = keyword{kind: k}
	}
	delete(m, "group by")
	delete(m, "order by")
	m["group"], m["order"] = keyword{kind: kGroup}, keyword{kind: kOrder}
	for f := ast.Bound; f < ast.NumFuncs; f++ {
		m[lower(f.String())] = keyword{kFunc, uint8(f)}
	}
	m["uri"], m["isuri"] = keyword{kFunc, uint8(ast.IRI)}, keyword{kFunc, uint8(ast.IsIRI)}
	for a := ast.Count; a <= ast.GroupConcat; a++ {
		m[lower(a.String())] = keyword{kAggregate, uint8(a)}
	}
	return m
}()

// maxKeyword is the length of the longest keyword.
const maxKeyword = len("encode_for_uri")

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// token is one token: text[start:end].
type token struct {
	kind       kind
	val        uint8 // Func or AggregateKind
	escaped    bool  // of IRI, name and string: there is a backslash
	start, end uint32
}

// kindSet is a set of kinds.
type kindSet [(int(numKinds) + 63) / 64]uint64

func (s *kindSet) add(k kind)      { s[k>>6] |= 1 << (k & 63) }
func (s *kindSet) has(k kind) bool { return s[k>>6]&(1<<(k&63)) != 0 }
func (s *kindSet) remove(k kind)   { s[k>>6] &^= 1 << (k & 63) }

// names returns the names of the members, signs first, then keywords, then
// larger things, each name once.
func (s kindSet) names() []string {
	if s.has(kExpression) {
		for _, k := range []kind{kBang, kPlus, kMinus} {
			s.remove(k)
		}
	}
	if s.has(kIRI) {
		s.remove(kPName)
	}
	if s.has(kString) {
		s.remove(kLongString)
	}
	var first, rest []string
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			k := kind(w*64 + bits.TrailingZeros64(word))
			if k < kLParen {
				rest = append(rest, kindNames[k])
			} else {
				first = append(first, kindNames[k])
			}
		}
	}
	return append(first, rest...)
}
