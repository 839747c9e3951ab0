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
type Value = value.Value

// Func computes a function. The second result is false for a value error, which is what
// SPARQL calls a type error and never an error of the query. args are only read, and not kept.
type Func = value.Func

// Context is what functions need in addition to their arguments: Now is the time of the request,
// Request its context, and Read counts the bytes that a long loop reads and says when to
// stop. It belongs to one goroutine.
type Context = value.Context

// Memory is what a Context draws the memory of long texts from.
type Memory = value.Memory

// Kind is what a value is.
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
