package value

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/rete-go/rete/internal/calendar"
)

// Kind is what a value is. The order of the constants has no meaning but for
// the four numeric ones, which stand in the order of promotion.
type Kind uint8

// The kinds of values.
const (
	None              Kind = iota // no value: unbound, or the result of a value error
	IRI                           // an IRI
	Blank                         // a blank node
	Triple                        // a triple term
	String                        // a simple literal (xsd:string)
	Lang                          // rdf:langString or rdf:dirLangString
	Boolean                       // xsd:boolean
	Integer                       // xsd:integer and the types derived from it
	Decimal                       // xsd:decimal
	Float                         // xsd:float
	Double                        // xsd:double
	DateTime                      // xsd:dateTime and xsd:dateTimeStamp
	Date                          // xsd:date
	Time                          // xsd:time
	GYear                         // xsd:gYear
	GYearMonth                    // xsd:gYearMonth
	GMonth                        // xsd:gMonth
	GMonthDay                     // xsd:gMonthDay
	GDay                          // xsd:gDay
	Duration                      // xsd:duration
	DayTimeDuration               // xsd:dayTimeDuration
	YearMonthDuration             // xsd:yearMonthDuration
	Other                         // a literal of a datatype that this package does not know
	IllTyped                      // a literal that is not in the lexical space of its known datatype
)

// noZone is the zone of an instant that has none.
const noZone = calendar.NoZone

// Value is one RDF term with its meaning. The zero Value is [None].
//
// Values are compared with [Equal], [Less] and [SameTerm], never with ==.
type Value struct {
	kind Kind
	dt   datatype // the datatype of a number or dateTime
	zone int16    // minutes east of UTC, noZone without; temporal kinds only
	aux  uint32   // decimal: scale. temporal: nanoseconds. literals with src: index of the closing quote
	num  int64    // mantissa; float bits; boolean; seconds of the local time line; months
	text string   // the characters of IRIs, labels, and literals that are text
	src  string   // the surface, empty for values that an expression made and that need none
	ext  *extra   // what is rarely needed
}

// extra holds the parts of rare values.
type extra struct {
	dec    *apd.Decimal // a number too large for num
	months int64        // of an xsd:duration with both parts
	frac   string       // decimal digits of a second after the ninth
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// IsNone reports whether v is no value.
func (v Value) IsNone() bool { return v.kind == None }

// isLiteral reports whether v is a literal of any kind.
func (v Value) isLiteral() bool { return v.kind >= String }

// IsNumeric reports whether v is a number; ill-typed literals of numeric
// datatypes are none (SPARQL 17.4.2.4).
func (v Value) IsNumeric() bool { return v.kind >= Integer && v.kind <= Double }

// IsText reports whether v is a string literal in the sense of SPARQL
// 17.1.2: simple, or with a language tag.
func (v Value) IsText() bool { return v.kind == String || v.kind == Lang }

// Bool returns the value of an xsd:boolean.
func (v Value) Bool() (b, ok bool) { return v.num != 0, v.kind == Boolean }

// Int64 returns the value of an integer that fits.
func (v Value) Int64() (int64, bool) { return v.num, v.kind == Integer && v.ext == nil }

// trueValue and False are the two booleans.
var (
	trueValue  = Value{kind: Boolean, num: 1}
	falseValue = Value{kind: Boolean}
)

// OfBool returns b as xsd:boolean.
func OfBool(b bool) Value {
	if b {
		return trueValue
	}
	return falseValue
}

// OfInt returns i as xsd:integer.
func OfInt(i int64) Value { return Value{kind: Integer, dt: dtInteger, num: i} }

// OfDouble returns f as xsd:double.
func OfDouble(f float64) Value {
	return Value{kind: Double, dt: dtDouble, num: int64(math.Float64bits(f))}
}

// OfFloat returns f as xsd:float.
func OfFloat(f float32) Value {
	return Value{kind: Float, dt: dtFloat, num: int64(math.Float64bits(float64(f)))}
}

// OfString returns the simple literal with these characters.
func OfString(s string) Value { return Value{kind: String, text: s} }

// float returns the number of a Float or Double.
func (v Value) float() float64 { return math.Float64frombits(uint64(v.num)) }
