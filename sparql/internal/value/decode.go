package value

import (
	"strings"
	"unsafe"

	"github.com/rete-go/rete/rdf"
)

// Decode returns the value of a canonical term surface. It does not allocate
// unless the text of the term holds escapes or a number does not fit 64 bits.
//
// The value shares the memory of surface, and so may the values that functions
// make of it: all are good only as long as surface is; [Value.Clone] makes one
// that owns its memory. Decode never fails: the empty surface, and what is no
// surface, are [None], a literal outside the lexical space of its datatype is
// [IllTyped].
func Decode(surface []byte) Value {
	return DecodeString(unsafe.String(unsafe.SliceData(surface), len(surface)))
}

// DecodeString is [Decode] for a surface that never changes.
func DecodeString(s string) Value {
	if len(s) < 2 {
		return Value{}
	}
	switch s[0] {
	case '"':
		return decodeLiteral(s)
	case '<':
		if s[1] == '<' {
			return Value{kind: Triple, src: s}
		}
		if s[len(s)-1] == '>' {
			return Value{kind: IRI, text: s[1 : len(s)-1], src: s}
		}
	case '_':
		if s[1] == ':' {
			return Value{kind: Blank, text: s[2:], src: s}
		}
	}
	return Value{}
}

// decodeLiteral decodes a surface that begins with a quote.
func decodeLiteral(s string) Value {
	if n := len(s) - len(integerSuffix); n > 1 && n < 20 && s[n:] == integerSuffix {
		// The most frequent datatype by far, without the general way.
		if i, ok := smallInteger(s[1:n]); ok {
			return Value{kind: Integer, dt: dtInteger, num: i, text: s[1:n], src: s}
		}
	}
	// The first quote is the closing one unless it is escaped; after the
	// closing quote there is none.
	q := strings.IndexByte(s[1:], '"') + 1
	if q == 0 {
		return Value{}
	}
	text := s[1:q]
	if text != "" && text[len(text)-1] == '\\' {
		q = strings.LastIndexByte(s, '"')
		text = s[1:q]
	}
	if q == len(s)-1 {
		return Value{kind: String, text: unescape(text), src: s}
	}
	rest := s[q+1:]
	if strings.IndexByte(rest, '"') >= 0 {
		return Value{} // no surface: neither tags nor IRIs hold quotes
	}
	if rest[0] == '@' {
		return Value{kind: Lang, text: unescape(text), src: s}
	}
	if len(rest) < 5 || rest[:3] != "^^<" || rest[len(rest)-1] != '>' {
		return Value{}
	}
	v := Value{kind: Other, text: text, src: s}
	if len(rest) > len(typedSuffix) && rest[:len(typedSuffix)] == typedSuffix {
		v.dt = datatypeOf(rest[len(typedSuffix) : len(rest)-1])
	}
	if v.dt == dtUnknown {
		v.text = unescape(text)
		return v
	}
	v.parse()
	if v.kind == IllTyped {
		if plain := unescape(text); len(plain) != len(text) {
			v.text = plain
			v.parse()
		}
	}
	return v
}

// parse sets the kind and the number of a literal by its text and datatype.
func (v *Value) parse() {
	v.kind = IllTyped
	switch v.dt {
	case dtString:
		v.kind, v.dt, v.text = String, dtUnknown, unescape(v.text)
	case dtBoolean:
		switch v.text {
		case "true", "1":
			v.kind, v.num = Boolean, 1
		case "false", "0":
			v.kind, v.num = Boolean, 0
		}
	case dtDecimal:
		parseDecimal(v)
	case dtFloat, dtDouble:
		parseFloat(v)
	case dtDateTime, dtDateTimeStamp, dtDate, dtTime, dtGYear, dtGYearMonth, dtGMonth, dtGMonthDay, dtGDay:
		parseTemporal(v)
	case dtDuration, dtDayTimeDuration, dtYearMonthDuration:
		parseDuration(v)
	default:
		parseInteger(v)
	}
}

// unescape resolves the escapes of the surface of a literal's text. Text
// without a backslash is returned as it is.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := rdf.Unescape(make([]byte, 0, len(s)), unsafe.Slice(unsafe.StringData(s), len(s)))
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Clone returns v with memory of its own.
func (v Value) Clone() Value {
	if v.src != "" {
		return DecodeString(strings.Clone(v.src))
	}
	v.text = strings.Clone(v.text)
	if v.ext != nil {
		e := *v.ext
		e.frac = strings.Clone(e.frac)
		v.ext = &e
	}
	return v
}

// FromTerm returns the value of a term.
func FromTerm(t rdf.Term) Value { return DecodeString(t.Surface()) }

// Term returns v as a term, the zero Term for [None].
func (v Value) Term() rdf.Term { return rdf.FromSurface(strings.Clone(v.Surface())) }

// Bytes returns the memory that v refers to, without that of the struct.
func (v Value) Bytes() int {
	n := len(v.src)
	if n == 0 {
		n = len(v.text)
	}
	if v.ext != nil {
		n += int(unsafe.Sizeof(*v.ext)) + len(v.ext.frac)
		if v.ext.dec != nil {
			n += int(v.ext.dec.Size())
		}
	}
	return n
}
