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
//	// AppendSurface appends the canonical surface of v: its own when it was decoded, else the one with the canonical lexical form.
//	func (v Value) AppendSurface(dst []byte) []byte
//
//	// Bool returns the value of an xsd:boolean.
//	func (v Value) Bool() (b, ok bool)
//
//	// Bytes returns the memory that v refers to, without that of the struct.
//	func (v Value) Bytes() int
//
//	// Canonical returns v without its spelling: a number, boolean, instant or duration with the canonical lexical form of its value, in its datatype; any other value as it is.
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
//	// IsNumeric reports whether v is a number; ill-typed literals of numeric datatypes are none (SPARQL 17.4.2.4).
//	func (v Value) IsNumeric() bool
//
//	// IsText reports whether v is a string literal in the sense of SPARQL 17.1.2: simple, or with a language tag.
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
//	// Text returns the characters of a literal (its lexical form), of an IRI, or the label of a blank node; of a triple term its surface.
//	func (v Value) Text() string
//
//	// Time returns the instant of an xsd:dateTime, in its zone, or the begin of an xsd:date; without a zone they are taken as UTC.
//	func (v Value) Time() (time.Time, bool)
type Value = value.Value

// Func computes a function. The second result is false for a value error, which is what
// SPARQL calls a type error and never an error of the query. args are only read, and not kept.
//
// As it is declared:
//
//	type Func func(ctx *Context, args []Value) (Value, bool)
type Func = value.Func

// Context is what functions need in addition to their arguments: Now is the time of the request,
// Request its context, and Read counts the bytes that a long loop reads and says when to
// stop. It belongs to one goroutine.
//
// As it is declared:
//
//	type Context struct {
//	    // Now is the one time of the request that NOW() returns.
//	    Now time.Time
//	    // Rand is the source of RAND, UUID and STRUUID.
//	    Rand *rand.Rand
//	    // Base resolves the argument of IRI(); nil: relative references stay a
//	    // value error.
//	    Base *iri.Base
//	    // Blank returns the label of the node of BNODE(label), or of BNODE()
//	    // when labelled is false. The executor gives one that knows the
//	    // solution: BNODE("x") is one node in a solution, another in the next.
//	    Blank func(label string, labelled bool) string
//	    // MaxText bounds the bytes of a text that a function makes; 0 stands for
//	    // defaultMaxText. Beyond it the function stops, and Err says so.
//	    MaxText int
//	    // Memory, if not nil, is where memory is drawn from for texts before they are made, and
//	    // for compiled patterns.
//	    Memory Memory
//	}
//
//	// Again makes the Context ready for rows that are computed again after memory was refused and then found.
//	func (c *Context) Again()
//
//	// BatchDone says the same of a batch of rows, gives memory back, and returns [Context.Err].
//	func (c *Context) BatchDone() error
//
//	// Err returns the Go error, if there was one, by which a function stopped before its end: that of the context or of Memory, or [ErrTextTooLong].
//	func (c *Context) Err() error
//
//	// Fits checks the length of a text that is about to be made, and draws memory for it.
//	func (c *Context) Fits(bytes int) bool
//
//	// Fork returns a Context for another goroutine of the request, which ends with ctx: with the same time, base and bounds, and chance of its own.
//	func (c *Context) Fork(ctx context.Context) *Context
//
//	// Read counts bytes that are read, and checks the context after many of them.
//	func (c *Context) Read(bytes int) bool
//
//	// ReadArgs is Read for the texts of the arguments of a function.
//	func (c *Context) ReadArgs(args []Value) bool
//
//	// RowDone says that the texts which were made for a row are needed no more.
//	func (c *Context) RowDone()
//
//	// Stopped checks the context, and keeps its error.
//	func (c *Context) Stopped() bool
//
//	// Surface returns the surface of a value for which memory is drawn; "" for none, and after an error.
//	func (c *Context) Surface(v Value) string
type Context = value.Context

// Memory is what a Context draws the memory of long texts from.
//
// As it is declared:
//
//	type Memory interface {
//	    // Grow draws bytes. Its error ends the evaluation, see [Context.Err].
//	    Grow(bytes int64) error
//	    // Shrink gives bytes back.
//	    Shrink(bytes int64)
//	}
type Memory = value.Memory

// Kind is what a value is.
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
