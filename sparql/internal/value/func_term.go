package value

import (
	"math"

	"github.com/rete-go/rete/rdf"
)

// termFunctions are the functions on RDF terms (SPARQL 17.4.2), with those of
// SPARQL 1.2 on triple terms and base directions.
var termFunctions = []Function{
	{Name: "STR", MinArgs: 1, MaxArgs: 1, Call: one(str)},
	{Name: "LANG", MinArgs: 1, MaxArgs: 1, Call: one(lang)},
	{Name: "LANGDIR", MinArgs: 1, MaxArgs: 1, Call: one(langDir)},
	{Name: "HASLANG", MinArgs: 1, MaxArgs: 1, Call: test(func(v Value) bool { return v.kind == Lang })},
	{Name: "HASLANGDIR", MinArgs: 1, MaxArgs: 1, Call: test(func(v Value) bool {
		_, dir := v.tag()
		return dir != ""
	})},
	{Name: "DATATYPE", MinArgs: 1, MaxArgs: 1, Call: one(datatypeFunction)},
	{Name: "IRI", MinArgs: 1, MaxArgs: 1, Call: iriFunction},
	{Name: "URI", MinArgs: 1, MaxArgs: 1, Call: iriFunction},
	{Name: "BNODE", MinArgs: 0, MaxArgs: 1, Volatile: true, Call: bnode},
	{Name: "STRDT", MinArgs: 2, MaxArgs: 2, Call: strDt},
	{Name: "STRLANG", MinArgs: 2, MaxArgs: 2, Call: strLang},
	{Name: "STRLANGDIR", MinArgs: 3, MaxArgs: 3, Call: strLangDir},
	{Name: "UUID", MinArgs: 0, MaxArgs: 0, Volatile: true, Call: func(c *Context, _ []Value) (Value, bool) {
		return OfIRI("urn:uuid:" + c.uuid()), true
	}},
	{Name: "STRUUID", MinArgs: 0, MaxArgs: 0, Volatile: true, Call: func(c *Context, _ []Value) (Value, bool) {
		return OfString(c.uuid()), true
	}},
	{Name: "SAMETERM", MinArgs: 2, MaxArgs: 2, Call: relation(func(a, b Value) (bool, bool) {
		return SameTerm(a, b), a.kind != None && b.kind != None
	})},
	{Name: "ISIRI", MinArgs: 1, MaxArgs: 1, Call: test(func(v Value) bool { return v.kind == IRI })},
	{Name: "ISURI", MinArgs: 1, MaxArgs: 1, Call: test(func(v Value) bool { return v.kind == IRI })},
	{Name: "ISBLANK", MinArgs: 1, MaxArgs: 1, Call: test(func(v Value) bool { return v.kind == Blank })},
	{Name: "ISLITERAL", MinArgs: 1, MaxArgs: 1, Call: test(Value.isLiteral)},
	{Name: "ISNUMERIC", MinArgs: 1, MaxArgs: 1, Call: test(Value.IsNumeric)},
	{Name: "ISTRIPLE", MinArgs: 1, MaxArgs: 1, Call: test(func(v Value) bool { return v.kind == Triple })},
	{Name: "TRIPLE", MinArgs: 3, MaxArgs: 3, Call: triple},
	{Name: "SUBJECT", MinArgs: 1, MaxArgs: 1, Call: triplePart(0)},
	{Name: "PREDICATE", MinArgs: 1, MaxArgs: 1, Call: triplePart(1)},
	{Name: "OBJECT", MinArgs: 1, MaxArgs: 1, Call: triplePart(2)},
}

func str(v Value) (Value, bool) {
	if v.kind == IRI || v.isLiteral() {
		return OfString(v.Text()), true
	}
	return Value{}, false
}

func lang(v Value) (Value, bool) {
	tag, _ := v.tag()
	return OfString(tag), v.isLiteral()
}

func langDir(v Value) (Value, bool) {
	_, dir := v.tag()
	return OfString(dir), v.isLiteral()
}

func datatypeFunction(v Value) (Value, bool) {
	if !v.isLiteral() {
		return Value{}, false
	}
	return OfIRI(v.datatypeIRI()), true
}

// iriFunction is IRI(): a string is resolved against the base of the query.
func iriFunction(c *Context, args []Value) (Value, bool) {
	v := args[0]
	switch {
	case v.kind == IRI:
		return v, true
	case v.kind != String:
		return Value{}, false
	}
	text := v.text
	size := len(text)
	if c.Base != nil {
		size += len(c.Base.String())
	}
	if !c.Fits(3 * size) {
		return Value{}, false
	}
	if c.Base != nil {
		text = c.Base.Resolve(text)
	}
	r := OfIRI(text)
	return r, rdf.FromSurface(r.src).Valid()
}

func bnode(c *Context, args []Value) (Value, bool) {
	if len(args) == 0 {
		return OfBlank(c.Blank("", false)), true
	}
	if args[0].kind != String {
		return Value{}, false
	}
	if !c.Fits(2 * len(args[0].text)) { // the label may be a part of the node's, and is remembered
		return Value{}, false
	}
	return OfBlank(c.Blank(args[0].text, true)), true
}

func strDt(c *Context, args []Value) (Value, bool) {
	text, datatype := args[0], args[1]
	if text.kind != String || datatype.kind != IRI || datatype.text == rdfLangString || datatype.text == rdfDirLang {
		return Value{}, false
	}
	if !c.Fits(2*(len(text.text)+extraEscaped(text.text)) + len(datatype.text) + surfaceRoom) { // it may be taken apart again
		return Value{}, false
	}
	return OfTyped(text.text, datatype.text), true
}

func strLang(c *Context, args []Value) (Value, bool) {
	text, tag := args[0], args[1]
	if text.kind != String || tag.kind != String || !isLangTag(tag.text) {
		return Value{}, false
	}
	return withTag(c, text.text, tag.text, "")
}

func strLangDir(c *Context, args []Value) (Value, bool) {
	text, tag, dir := args[0], args[1], args[2]
	if text.kind != String || tag.kind != String || dir.kind != String || !isLangTag(tag.text) ||
		dir.text != "ltr" && dir.text != "rtl" {
		return Value{}, false
	}
	return withTag(c, text.text, tag.text, dir.text)
}

// withTag is [OfLang] within the memory of the query.
func withTag(c *Context, text, tag, dir string) (Value, bool) {
	if !c.Fits(len(text) + extraEscaped(text) + 2*len(tag) + surfaceRoom) {
		return Value{}, false
	}
	return OfLang(text, tag, dir), true
}

// isLangTag reports whether s has the syntax of a language tag in SPARQL.
func isLangTag(s string) bool {
	run, letters := 0, true
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		switch {
		case s[i] == '-' && run > 0:
			run, letters = 0, false
		case 'a' <= c && c <= 'z', !letters && '0' <= s[i] && s[i] <= '9':
			if run++; run > 8 {
				return false
			}
		default:
			return false
		}
	}
	return run > 0
}

// uuid returns a random UUID (RFC 9562, version 4).
func (c *Context) uuid() string {
	var b [16]byte
	for i := 0; i < 16; i += 8 {
		n := c.Rand.Uint64()
		for j := range 8 {
			b[i+j] = byte(n >> (8 * j))
		}
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 36)
	for i, x := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			out = append(out, '-')
		}
		out = append(out, digits[x>>4], digits[x&15])
	}
	return string(out)
}

// triple is TRIPLE(): the parts must be such that a triple may have them.
func triple(c *Context, args []Value) (Value, bool) {
	s, p, o := args[0], args[1], args[2]
	if s.kind != IRI && s.kind != Blank || p.kind != IRI || o.kind == None {
		return Value{}, false
	}
	size := len(s.src) + len(p.src) + max(len(o.src), len(o.text)+extraEscaped(o.text)) + surfaceRoom
	if !c.Fits(2 * size) { // it is made in a slice first
		return Value{}, false
	}
	b := append(make([]byte, 0, size), "<<"...)
	b = append(b, s.src...)
	b = append(append(b, ' '), p.src...)
	b = o.AppendSurface(append(b, ' '))
	return Value{kind: Triple, src: string(append(b, ">>"...))}, true
}

func triplePart(i int) Func {
	return one(func(v Value) (Value, bool) {
		if v.kind != Triple {
			return Value{}, false
		}
		part := parts(v)[i]
		return part, part.kind != None
	})
}

// otherFunctions are those on numbers and instants (SPARQL 17.4.4, 17.4.5).
var otherFunctions = []Function{
	{Name: "ABS", MinArgs: 1, MaxArgs: 1, Call: one(abs)},
	{Name: "CEIL", MinArgs: 1, MaxArgs: 1, Call: one(func(v Value) (Value, bool) { return rounded(v, roundCeiling) })},
	{Name: "FLOOR", MinArgs: 1, MaxArgs: 1, Call: one(func(v Value) (Value, bool) { return rounded(v, roundFloor) })},
	{Name: "ROUND", MinArgs: 1, MaxArgs: 1, Call: one(func(v Value) (Value, bool) { return rounded(v, roundHalfUp) })},
	{Name: "RAND", MinArgs: 0, MaxArgs: 0, Volatile: true, Call: func(c *Context, _ []Value) (Value, bool) {
		return OfDouble(c.Rand.Float64()), true
	}},
	{Name: "NOW", MinArgs: 0, MaxArgs: 0, Request: true, Call: func(c *Context, _ []Value) (Value, bool) {
		return OfTime(c.Now), true
	}},
	{Name: "YEAR", MinArgs: 1, MaxArgs: 1, Call: one(year)},
	{Name: "MONTH", MinArgs: 1, MaxArgs: 1, Call: one(month)},
	{Name: "DAY", MinArgs: 1, MaxArgs: 1, Call: one(day)},
	{Name: "HOURS", MinArgs: 1, MaxArgs: 1, Call: clockPart(3600, 24)},
	{Name: "MINUTES", MinArgs: 1, MaxArgs: 1, Call: clockPart(60, 60)},
	{Name: "SECONDS", MinArgs: 1, MaxArgs: 1, Call: one(seconds)},
	{Name: "TIMEZONE", MinArgs: 1, MaxArgs: 1, Call: one(timezone)},
	{Name: "TZ", MinArgs: 1, MaxArgs: 1, Call: one(tz)},
}

func abs(v Value) (Value, bool) {
	switch {
	case v.kind == Integer || v.kind == Decimal:
		if signExact(v) < 0 {
			return negExact(v), true
		}
		return bare(v), true
	case v.IsNumeric():
		return ofKind(v.kind, math.Abs(v.float())), true
	}
	return Value{}, false
}

// bare returns an exact number without its surface and derived type.
func bare(v Value) Value {
	if v.ext == nil {
		return ofExact(v.kind, v.num, v.aux)
	}
	dt := dtInteger
	if v.kind == Decimal {
		dt = dtDecimal
	}
	return Value{kind: v.kind, dt: dt, ext: v.ext}
}

// The parts of dateTime, and of the other types that have them.

func year(v Value) (Value, bool) {
	switch v.kind {
	case DateTime, Date, GYear, GYearMonth:
		y, _, _, _ := v.civil()
		return OfInt(y), true
	}
	return Value{}, false
}

func month(v Value) (Value, bool) {
	switch v.kind {
	case DateTime, Date, GYearMonth, GMonth, GMonthDay:
		_, m, _, _ := v.civil()
		return OfInt(int64(m)), true
	}
	return Value{}, false
}

func day(v Value) (Value, bool) {
	switch v.kind {
	case DateTime, Date, GMonthDay, GDay:
		_, _, d, _ := v.civil()
		return OfInt(int64(d)), true
	}
	return Value{}, false
}

func clockPart(unit, modulo int64) Func {
	return one(func(v Value) (Value, bool) {
		if v.kind != DateTime && v.kind != Time {
			return Value{}, false
		}
		_, _, _, second := v.civil()
		return OfInt(second / unit % modulo), true
	})
}

// seconds is exact, whatever the number of digits.
func seconds(v Value) (Value, bool) {
	if v.kind != DateTime && v.kind != Time {
		return Value{}, false
	}
	_, _, _, second := v.civil()
	d := Value{dt: dtDecimal, text: string(appendFraction(OfInt(second%60).appendLexical(nil), v.aux, v.frac()))}
	parseDecimal(&d)
	d.text = ""
	return d, d.kind == Decimal
}

func timezone(v Value) (Value, bool) {
	if v.kind < DateTime || v.kind > GDay || v.zone == noZone {
		return Value{}, false
	}
	return ofDuration(0, int64(v.zone)*60, 0, dtDayTimeDuration)
}

// tz is the zone as it is written.
func tz(v Value) (Value, bool) {
	if v.kind < DateTime || v.kind > GDay {
		return Value{}, false
	}
	text := v.Text()
	switch {
	case v.zone == noZone:
		return OfString(""), true
	case text[len(text)-1] == 'Z':
		return OfString("Z"), true
	}
	return OfString(text[len(text)-6:]), true
}
