// Package value has the values of SPARQL expressions, for functions of one's own
// (sparql.WithFunction) and for programs that compute with the terms of results.
//
// A [Value] is a term with its meaning: [FromTerm] makes one of a term, Value.Term the term of
// it, and Value.Kind, Bool, Int64, Float64 and Text say what it is.
package value

import (
	"time"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

// Value is one RDF term with its meaning, plain data that is safe for concurrent use. The zero
// Value is [None]. Values are compared with [Equal], [Less] and [Compare], never with ==.
//
// As it is declared:
//
//	// AppendSurface appends the canonical surface of v: its own when it was
//	// decoded, else the one with the canonical lexical form. None appends nothing.
//	func (v Value) AppendSurface(dst []byte) []byte
//
//	// Bool returns the value of an xsd:boolean.
//	func (v Value) Bool() (b, ok bool)
//
//	// Bytes returns the memory that v refers to, without that of the struct.
//	func (v Value) Bytes() int
//
//	// Canonical returns v without its spelling: a number, boolean, instant or
//	// duration with the canonical lexical form of its value, in its datatype; any
//	// other value as it is.
//	func (v Value) Canonical() Value
//
//	// Clone returns v with memory of its own.
//	func (v Value) Clone() Value
//
//	// Float64 returns the value of a number as the nearest float64.
//	func (v Value) Float64() (float64, bool)
//
//	// Int64 returns the value of an integer that fits.
//	func (v Value) Int64() (int64, bool)
//
//	// IsNone reports whether v is no value.
//	func (v Value) IsNone() bool
//
//	// IsNumeric reports whether v is a number; ill-typed literals of numeric
//	// datatypes are none (SPARQL 17.4.2.4).
//	func (v Value) IsNumeric() bool
//
//	// IsText reports whether v is a string literal in the sense of SPARQL
//	// 17.1.2: simple, or with a language tag.
//	func (v Value) IsText() bool
//
//	// Kind returns the kind of v.
//	func (v Value) Kind() Kind
//
//	// Surface returns the canonical surface as a string.
//	func (v Value) Surface() string
//
//	// Term returns v as a term, the zero Term for [None].
//	func (v Value) Term() rdf.Term
//
//	// Text returns the characters of a literal (its lexical form), of an IRI, or
//	// the label of a blank node; of a triple term its surface.
//	func (v Value) Text() string
//
//	// Time returns the instant of an xsd:dateTime, in its zone, or the begin of an xsd:date; without
//	// a zone they are taken as UTC. Digits of a second after the ninth are left out. It is false for
//	// other values.
//	func (v Value) Time() (time.Time, bool)
type Value = value.Value

// Func is a function of a program. The second result is false for a value error, which is
// what SPARQL calls a type error and never an error of the query. args are only read, and not kept.
type Func = func(c *Call, args []Value) (Value, bool)

// Call is what a function is told in addition to its arguments: the time of the request, its context,
// and the bounds of a long computation. It belongs to one goroutine, and to the call.
//
// As it is declared:
//
//	// Context returns the context of the query, for functions that wait for something.
//	func (c *Call) Context() context.Context
//
//	// Fits checks the length of a text that is about to be made, and draws memory for it. False: the
//	// query ends with the error of its limit, and what the function returns is not used.
//	func (c *Call) Fits(bytes int) bool
//
//	// Now returns the one time of the request, which NOW() returns too.
//	func (c *Call) Now() time.Time
//
//	// Read counts bytes that a long loop reads, and checks the context after many of them. False: the
//	// query ends, and what the function returns is not used.
//	func (c *Call) Read(bytes int) bool
type Call = value.Call

// Kind is what a value is: [None] and the constants beside it.
//
// As it is declared:
//
//	type Kind uint8
type Kind = value.Kind

// The kinds of values.
const (
	None              = value.None              // no value: unbound, or the result of a value error
	IRI               = value.IRI               // an IRI
	Blank             = value.Blank             // a blank node
	Triple            = value.Triple            // a triple term
	String            = value.String            // a simple literal (xsd:string)
	Lang              = value.Lang              // rdf:langString or rdf:dirLangString
	Boolean           = value.Boolean           // xsd:boolean
	Integer           = value.Integer           // xsd:integer and the types derived from it
	Decimal           = value.Decimal           // xsd:decimal
	Float             = value.Float             // xsd:float
	Double            = value.Double            // xsd:double
	DateTime          = value.DateTime          // xsd:dateTime and xsd:dateTimeStamp
	Date              = value.Date              // xsd:date
	Time              = value.Time              // xsd:time
	GYear             = value.GYear             // xsd:gYear
	GYearMonth        = value.GYearMonth        // xsd:gYearMonth
	GMonth            = value.GMonth            // xsd:gMonth
	GMonthDay         = value.GMonthDay         // xsd:gMonthDay
	GDay              = value.GDay              // xsd:gDay
	Duration          = value.Duration          // xsd:duration
	DayTimeDuration   = value.DayTimeDuration   // xsd:dayTimeDuration
	YearMonthDuration = value.YearMonthDuration // xsd:yearMonthDuration
	Other             = value.Other             // a literal of a datatype that is not known
	IllTyped          = value.IllTyped          // a literal that is not in the lexical space of its known datatype
)

// FromTerm returns the value of a term.
func FromTerm(t rdf.Term) Value { return value.FromTerm(t) }

// OfBool returns b as xsd:boolean.
func OfBool(b bool) Value { return value.OfBool(b) }

// OfInt returns i as xsd:integer.
func OfInt(i int64) Value { return value.OfInt(i) }

// OfDouble returns f as xsd:double.
func OfDouble(f float64) Value { return value.OfDouble(f) }

// OfString returns the simple literal with these characters.
func OfString(s string) Value { return value.OfString(s) }

// OfTime returns t as xsd:dateTime.
func OfTime(t time.Time) Value { return value.OfTime(t) }

// Equal is the operator "=" of SPARQL; ok is false for a value error, such as of literals
// whose values are not known.
func Equal(a, b Value) (equal, ok bool) { return value.Equal(a, b) }

// Less is the operator "<" of SPARQL.
func Less(a, b Value) (less, ok bool) { return value.Less(a, b) }

// Compare is the total order of ORDER BY. Only the same term compares as 0.
func Compare(a, b Value) int { return value.Compare(a, b) }
