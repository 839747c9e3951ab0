package value

import (
	"math"
	"strings"

	"github.com/rete-go/rete/internal/calendar"
)

// castFunctions returns the constructors of the datatypes (SPARQL 17.5, XPath
// F&O 19): those that SPARQL demands, and those of all other types known here.
func castFunctions() map[string]*Function {
	m := make(map[string]*Function, len(datatypeNames))
	for i := dtString; int(i) < len(datatypeNames); i++ {
		dt := i
		m[dt.iri()] = &Function{Name: dt.iri(), MinArgs: 1, MaxArgs: 1, Call: one(func(v Value) (Value, bool) {
			return cast(v, dt)
		})}
	}
	return m
}

// cast converts v to a datatype; false when the types or the value forbid it.
func cast(v Value, dt datatype) (Value, bool) {
	if dt == dtString {
		return castString(v)
	}
	if v.kind == String {
		return castText(v.text, dt)
	}
	switch dt {
	case dtBoolean:
		switch {
		case v.kind == Boolean:
			return OfBool(v.num != 0), true
		case v.IsNumeric():
			truth, _ := Truth(v)
			return OfBool(truth), true
		}
	case dtFloat, dtDouble:
		return castFloat(v, dt)
	case dtDecimal:
		return castDecimal(v)
	case dtDateTime, dtDateTimeStamp, dtDate, dtTime, dtGYear, dtGYearMonth, dtGMonth, dtGMonthDay, dtGDay:
		return castTemporal(v, dt)
	case dtDuration, dtDayTimeDuration, dtYearMonthDuration:
		return castDuration(v, dt)
	default:
		return castInteger(v, dt)
	}
	return Value{}, false
}

// castText reads a string as the datatype; white space around it is cut. The
// result has the canonical form, as XPath wants it.
func castText(text string, dt datatype) (Value, bool) {
	v := Value{dt: dt, text: strings.Trim(text, " \t\r\n")}
	v.parse()
	if v.kind == IllTyped {
		return Value{}, false
	}
	v.text = ""
	if v.ext != nil && v.ext.frac != "" {
		v.ext.frac = strings.Clone(v.ext.frac)
	}
	return v, true
}

// castString is the cast to xsd:string: IRIs too, and numbers in XPath's form.
func castString(v Value) (Value, bool) {
	switch v.kind {
	case IRI, String:
		return OfString(v.text), true
	case None, Blank, Triple, Lang, Other, IllTyped:
		return Value{}, false
	case Float, Double:
		return OfString(xpathFloat(v)), true
	case Integer, Decimal:
		return OfString(string(appendExact(nil, v))), true
	}
	v.src = ""
	return OfString(string(v.appendLexical(nil))), true
}

// xpathFloat is the form of floats in the cast to a string (XPath F&O
// 19.1.2.2): that of a decimal from 1e-6 up to a million, which for a float is the float that is
// nearest to 1e-6.
func xpathFloat(v Value) string {
	f := v.float()
	a, least := math.Abs(f), 1e-6
	if v.kind == Float {
		least = float64(float32(least))
	}
	switch {
	case f == 0 && math.Signbit(f):
		return "-0"
	case f == 0:
		return "0"
	case a < least || a >= 1e6 || math.IsNaN(f):
		bare := Value{kind: v.kind, num: v.num}
		return string(bare.appendLexical(nil))
	}
	return formatPlain(f, v.kind == Float)
}

// castFloat converts to xsd:float or xsd:double.
func castFloat(v Value, dt datatype) (Value, bool) {
	kind := Double
	if dt == dtFloat {
		kind = Float
	}
	switch {
	case v.kind == Boolean:
		return ofKind(kind, float64(v.num)), true
	case v.kind >= Float && v.IsNumeric():
		return ofKind(kind, v.float()), true
	case v.IsNumeric():
		return ofKind(kind, toFloat(v, kind == Float)), true
	}
	return Value{}, false
}

// castDecimal converts to xsd:decimal; a float keeps its exact value.
func castDecimal(v Value) (Value, bool) {
	switch v.kind {
	case Boolean:
		return ofExact(Decimal, v.num, 0), true
	case Integer, Decimal:
		d := bare(v)
		d.kind, d.dt = Decimal, dtDecimal
		return d, true
	case Float, Double:
		return decimalOfFloat(v.float())
	}
	return Value{}, false
}

// castInteger converts to xsd:integer or a derived type, towards zero.
func castInteger(v Value, dt datatype) (Value, bool) {
	d, ok := castDecimal(v)
	if !ok {
		return Value{}, false
	}
	if d, ok = roundExact(d, roundTrunc); !ok {
		return Value{}, false
	}
	d.kind, d.dt = Integer, dt
	return d, dt == dtInteger || inBounds(&d)
}

// castTemporal converts between dates and times: parts may be dropped, the
// start of the day may be added to a date, nothing else.
func castTemporal(v Value, dt datatype) (Value, bool) {
	if v.kind < DateTime || v.kind > GDay {
		return Value{}, false
	}
	year, month, day, second := v.civil()
	out := Value{dt: dt, zone: v.zone}
	kinds := map[datatype]Kind{
		dtDateTime: DateTime, dtDateTimeStamp: DateTime, dtDate: Date, dtTime: Time, dtGYear: GYear,
		dtGYearMonth: GYearMonth, dtGMonth: GMonth, dtGMonthDay: GMonthDay, dtGDay: GDay,
	}
	out.kind = kinds[dt]
	switch {
	case out.kind == v.kind:
		out.num, out.aux, out.ext = v.num, v.aux, v.ext
		return out, dt != dtDateTimeStamp || v.zone != noZone
	case v.kind != DateTime && v.kind != Date:
		return Value{}, false
	case v.kind == Date && out.kind == Time:
		return Value{}, false
	}
	switch out.kind {
	case DateTime:
		if dt == dtDateTimeStamp && v.zone == noZone {
			return Value{}, false
		}
	case Date:
		second = 0
	case Time:
		year, month, day = 1972, 1, 1
		out.aux, out.ext = v.aux, v.ext
	case GYear:
		month, day, second = 1, 1, 0
	case GYearMonth:
		day, second = 1, 0
	case GMonth:
		year, day, second = 1972, 1, 0
	case GMonthDay:
		year, second = 1972, 0
	case GDay:
		year, month, second = 1972, 1, 0
	}
	out.num = calendar.Days(year, month, day)*calendar.DaySeconds + second
	return out, true
}

// castDuration converts between durations; what the type lacks is dropped.
func castDuration(v Value, dt datatype) (Value, bool) {
	if !v.isDuration() {
		return Value{}, false
	}
	months, seconds, nanos := v.durationParts()
	switch dt {
	case dtDayTimeDuration:
		months = 0
	case dtYearMonthDuration:
		seconds, nanos = 0, 0
	}
	return ofDuration(months, seconds, nanos, dt)
}
