package value

import (
	"strconv"
	"strings"

	"github.com/rete-go/rete/internal/xsdfloat"
	"github.com/rete-go/rete/rdf"
)

// AppendSurface appends the canonical surface of v: its own when it was
// decoded, else the one with the canonical lexical form. None appends nothing.
func (v Value) AppendSurface(dst []byte) []byte {
	if v.src != "" {
		return append(dst, v.src...)
	}
	switch v.kind {
	case None:
		return dst
	case String:
		dst = append(dst, '"')
		dst = rdf.AppendEscaped(dst, v.text)
		return append(dst, '"')
	}
	dst = append(dst, '"')
	dst = v.appendLexical(dst)
	dst = append(dst, `"^^<`...)
	dst = append(dst, v.datatypeIRI()...)
	return append(dst, '>')
}

// Surface returns the canonical surface as a string.
func (v Value) Surface() string {
	if v.src != "" {
		return v.src
	}
	return string(v.AppendSurface(nil))
}

// Text returns the characters of a literal (its lexical form), of an IRI, or
// the label of a blank node; of a triple term its surface.
func (v Value) Text() string {
	if v.src != "" && v.kind != Triple || v.kind == String {
		return v.text
	}
	if v.kind == Triple {
		return v.src
	}
	return string(v.appendLexical(nil))
}

// datatypeIRI returns the datatype of a literal.
func (v Value) datatypeIRI() string {
	switch {
	case v.kind == String:
		return xsdString
	case v.kind == Lang:
		if _, dir := v.tag(); dir != "" {
			return rdfDirLang
		}
		return rdfLangString
	case v.dt != dtUnknown:
		return v.dt.iri()
	case v.kind == Boolean:
		return dtBoolean.iri()
	case v.src != "":
		return v.src[strings.LastIndexByte(v.src, '"')+4 : len(v.src)-1]
	}
	return ""
}

// tag returns the language tag and the base direction, both empty without.
func (v Value) tag() (lang, dir string) {
	if v.kind != Lang {
		return "", ""
	}
	lang = v.src[strings.LastIndexByte(v.src, '"')+2:]
	if i := strings.Index(lang, "--"); i >= 0 {
		return lang[:i], lang[i+2:]
	}
	return lang, ""
}

// appendLexical appends the lexical form of a literal that no surface gave.
func (v Value) appendLexical(dst []byte) []byte {
	if v.src != "" {
		return append(dst, v.text...)
	}
	switch v.kind {
	case Boolean:
		return strconv.AppendBool(dst, v.num != 0)
	case Integer, Decimal:
		return appendExact(dst, v)
	case Float:
		return xsdfloat.Append(dst, v.float(), 32)
	case Double:
		return xsdfloat.Append(dst, v.float(), 64)
	case DateTime, Date, Time, GYear, GYearMonth, GMonth, GMonthDay, GDay:
		return appendTemporal(dst, v)
	case Duration, DayTimeDuration, YearMonthDuration:
		return appendDuration(dst, v)
	}
	return append(dst, v.text...)
}

// appendExact appends the canonical form of an integer or decimal: no
// exponent, no trailing zeros, no point when there is no fraction (XML Schema
// 1.1, 3.3.3.2).
func appendExact(dst []byte, v Value) []byte {
	if v.ext != nil {
		return v.ext.dec.Append(dst, 'f')
	}
	if v.aux == 0 {
		return strconv.AppendInt(dst, v.num, 10)
	}
	if v.num < 0 {
		dst = append(dst, '-')
	}
	whole, part := abs64(v.num)/uint64(pow10[v.aux]), abs64(v.num)%uint64(pow10[v.aux])
	dst = append(strconv.AppendUint(dst, whole, 10), '.')
	return appendPadded(dst, part, int(v.aux))
}

// appendPadded appends n with leading zeros to the width.
func appendPadded(dst []byte, n uint64, width int) []byte {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], n, 10)
	for i := len(digits); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// appendFraction appends a point and the digits of a second without trailing
// zeros, nothing when there are none.
func appendFraction(dst []byte, nanos uint32, rest string) []byte {
	if nanos == 0 && rest == "" {
		return dst
	}
	dst = append(dst, '.')
	dst = appendPadded(dst, uint64(nanos), 9)
	if rest != "" {
		return append(dst, rest...)
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendZone appends a time zone, nothing when there is none.
func appendZone(dst []byte, zone int16) []byte {
	switch {
	case zone == noZone:
		return dst
	case zone == 0:
		return append(dst, 'Z')
	case zone < 0:
		dst = append(dst, '-')
		zone = -zone
	default:
		dst = append(dst, '+')
	}
	dst = appendPadded(dst, uint64(zone/60), 2)
	dst = append(dst, ':')
	return appendPadded(dst, uint64(zone%60), 2)
}

// appendTemporal appends the lexical form of a value of a temporal type.
func appendTemporal(dst []byte, v Value) []byte {
	year, month, day, second := v.civil()
	two := func(n int64) { dst = appendPadded(dst, uint64(n), 2) }
	switch v.kind {
	case DateTime, Date, GYear, GYearMonth:
		if year < 0 {
			dst = append(dst, '-')
		}
		dst = appendPadded(dst, abs64(year), 4)
		if v.kind != GYear {
			dst = append(dst, '-')
			two(int64(month))
		}
		if v.kind == DateTime || v.kind == Date {
			dst = append(dst, '-')
			two(int64(day))
		}
	case GMonth, GMonthDay:
		dst = append(dst, '-', '-')
		two(int64(month))
		if v.kind == GMonthDay {
			dst = append(dst, '-')
			two(int64(day))
		}
	case GDay:
		dst = append(dst, '-', '-', '-')
		two(int64(day))
	}
	if v.kind == DateTime {
		dst = append(dst, 'T')
	}
	if v.kind == DateTime || v.kind == Time {
		two(second / 3600)
		dst = append(dst, ':')
		two(second / 60 % 60)
		dst = append(dst, ':')
		two(second % 60)
		dst = appendFraction(dst, v.aux, v.frac())
	}
	return appendZone(dst, v.zone)
}

// OfIRI returns an IRI. The text must be one; it is not checked.
func OfIRI(iri string) Value {
	src := "<" + iri + ">"
	return Value{kind: IRI, text: src[1 : len(src)-1], src: src}
}

// OfBlank returns the blank node with this label.
func OfBlank(label string) Value {
	src := "_:" + label
	return Value{kind: Blank, text: src[2:], src: src}
}

// OfLang returns a literal with a language tag, which is lowered, and a base
// direction, which may be empty.
func OfLang(text, lang, dir string) Value {
	b := make([]byte, 0, len(text)+len(lang)+len(dir)+5)
	b = append(b, '"')
	b = rdf.AppendEscaped(b, text)
	b = append(b, '"', '@')
	b = append(b, strings.ToLower(lang)...)
	if dir != "" {
		b = append(b, '-', '-')
		b = append(b, dir...)
	}
	return Value{kind: Lang, text: text, src: string(b)}
}

// OfTyped returns the literal with this lexical form and datatype; it is
// [IllTyped] when they do not fit.
func OfTyped(text, datatype string) Value {
	if datatype == xsdString {
		return OfString(text)
	}
	b := make([]byte, 0, len(text)+len(datatype)+8)
	b = append(b, '"')
	b = rdf.AppendEscaped(b, text)
	b = append(b, `"^^<`...)
	b = append(b, datatype...)
	b = append(b, '>')
	return DecodeString(string(b))
}

// formatPlain returns a float without an exponent.
func formatPlain(f float64, single bool) string {
	bits := 64
	if single {
		bits = 32
	}
	return strconv.FormatFloat(f, 'f', -1, bits)
}

// Canonical returns v without its spelling: a number, boolean, instant or
// duration with the canonical lexical form of its value, in its datatype; any
// other value as it is.
func (v Value) Canonical() Value {
	switch {
	case v.kind >= Boolean && v.kind <= YearMonthDuration:
		v.src, v.text = "", ""
	}
	return v
}
