package ast

import "strings"

// Func is an operator or a built-in function. The executor compiles each to a
// kernel; functions named by an IRI are [FunctionCall].
type Func uint8

const (
	NoFunc Func = iota

	// Operators. Or and And take two arguments or more; In and NotIn take the
	// value and then the list.
	Or
	And
	Not
	Equal
	NotEqual
	Less
	Greater
	LessOrEqual
	GreaterOrEqual
	In
	NotIn
	Addition    // a + b
	Subtraction // a - b
	Multiplication
	Division
	UnaryPlus  // + a
	UnaryMinus // - a

	// Functional forms.
	Bound
	If
	Coalesce
	SameTerm

	// Functions on terms.
	IsIRI // also isURI
	IsBlank
	IsLiteral
	IsNumeric
	Str
	Lang
	Datatype
	IRI // also URI
	BNode
	StrDT
	StrLang
	UUID
	StrUUID

	// Functions on strings.
	StrLen
	Substr
	UCase
	LCase
	StrStarts
	StrEnds
	Contains
	StrBefore
	StrAfter
	EncodeForURI
	Concat
	LangMatches
	Regex
	Replace

	// Functions on numbers.
	Abs
	Round
	Ceil
	Floor
	Rand

	// Functions on dates and times.
	Now
	Year
	Month
	Day
	Hours
	Minutes
	Seconds
	Timezone
	TZ

	// Hashes.
	MD5
	SHA1
	SHA256
	SHA384
	SHA512

	// SPARQL 1.2.
	LangDir
	HasLang
	HasLangDir
	StrLangDir
	MakeTriple // TRIPLE(s, p, o)
	Subject
	Predicate
	Object
	IsTriple

	// NumFuncs is one more than the largest Func.
	NumFuncs
)

// Unbounded is the upper arity of functions that take any number of arguments.
const Unbounded = -1

type funcInfo struct {
	name     string
	min, max int
}

var funcs = [NumFuncs]funcInfo{
	Or: {"||", 2, Unbounded}, And: {"&&", 2, Unbounded}, Not: {"!", 1, 1},
	Equal: {"=", 2, 2}, NotEqual: {"!=", 2, 2}, Less: {"<", 2, 2}, Greater: {">", 2, 2},
	LessOrEqual: {"<=", 2, 2}, GreaterOrEqual: {">=", 2, 2},
	In: {"IN", 1, Unbounded}, NotIn: {"NOT IN", 1, Unbounded},
	Addition: {"+", 2, 2}, Subtraction: {"-", 2, 2}, Multiplication: {"*", 2, 2}, Division: {"/", 2, 2},
	UnaryPlus: {"+", 1, 1}, UnaryMinus: {"-", 1, 1},

	Bound: {"BOUND", 1, 1}, If: {"IF", 3, 3}, Coalesce: {"COALESCE", 0, Unbounded}, SameTerm: {"sameTerm", 2, 2},

	IsIRI: {"isIRI", 1, 1}, IsBlank: {"isBLANK", 1, 1}, IsLiteral: {"isLITERAL", 1, 1}, IsNumeric: {"isNUMERIC", 1, 1},
	Str: {"STR", 1, 1}, Lang: {"LANG", 1, 1}, Datatype: {"DATATYPE", 1, 1}, IRI: {"IRI", 1, 1},
	BNode: {"BNODE", 0, 1}, StrDT: {"STRDT", 2, 2}, StrLang: {"STRLANG", 2, 2}, UUID: {"UUID", 0, 0}, StrUUID: {"STRUUID", 0, 0},

	StrLen: {"STRLEN", 1, 1}, Substr: {"SUBSTR", 2, 3}, UCase: {"UCASE", 1, 1}, LCase: {"LCASE", 1, 1},
	StrStarts: {"STRSTARTS", 2, 2}, StrEnds: {"STRENDS", 2, 2}, Contains: {"CONTAINS", 2, 2},
	StrBefore: {"STRBEFORE", 2, 2}, StrAfter: {"STRAFTER", 2, 2}, EncodeForURI: {"ENCODE_FOR_URI", 1, 1},
	Concat: {"CONCAT", 0, Unbounded}, LangMatches: {"LANGMATCHES", 2, 2}, Regex: {"REGEX", 2, 3}, Replace: {"REPLACE", 3, 4},

	Abs: {"ABS", 1, 1}, Round: {"ROUND", 1, 1}, Ceil: {"CEIL", 1, 1}, Floor: {"FLOOR", 1, 1}, Rand: {"RAND", 0, 0},

	Now: {"NOW", 0, 0}, Year: {"YEAR", 1, 1}, Month: {"MONTH", 1, 1}, Day: {"DAY", 1, 1}, Hours: {"HOURS", 1, 1},
	Minutes: {"MINUTES", 1, 1}, Seconds: {"SECONDS", 1, 1}, Timezone: {"TIMEZONE", 1, 1}, TZ: {"TZ", 1, 1},

	MD5: {"MD5", 1, 1}, SHA1: {"SHA1", 1, 1}, SHA256: {"SHA256", 1, 1}, SHA384: {"SHA384", 1, 1}, SHA512: {"SHA512", 1, 1},

	LangDir: {"LANGDIR", 1, 1}, HasLang: {"hasLANG", 1, 1}, HasLangDir: {"hasLANGDIR", 1, 1}, StrLangDir: {"STRLANGDIR", 3, 3},
	MakeTriple: {"TRIPLE", 3, 3}, Subject: {"SUBJECT", 1, 1}, Predicate: {"PREDICATE", 1, 1}, Object: {"OBJECT", 1, 1},
	IsTriple: {"isTRIPLE", 1, 1},
}

// String returns the operator's sign or the function's name as SPARQL spells it.
func (f Func) String() string {
	if f < NumFuncs {
		return funcs[f].name
	}
	return "?"
}

// Key returns the name of the function in the registry of package value.
func (f Func) Key() string {
	switch f {
	case UnaryPlus:
		return "u+"
	case UnaryMinus:
		return "u-"
	}
	return strings.ToUpper(f.String())
}

// Arity returns the least and the largest number of arguments; max is
// [Unbounded] where there is no largest.
func (f Func) Arity() (min, max int) { return funcs[f].min, funcs[f].max }

// IsOperator reports whether f is written as a sign (or as IN), not as a name
// with a list of arguments.
func (f Func) IsOperator() bool { return f >= Or && f <= UnaryMinus }

var aggregateNames = [...]string{"COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"}

// String returns the name as SPARQL spells it.
func (k AggregateKind) String() string { return aggregateNames[k] }
