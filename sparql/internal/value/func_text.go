package value

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// textFunctions are the functions on strings and the hashes (SPARQL 17.4.3,
// 17.4.6). Characters are Unicode code points.
var textFunctions = []Function{
	{Name: "STRLEN", MinArgs: 1, MaxArgs: 1, Call: one(func(v Value) (Value, bool) {
		return OfInt(int64(utf8.RuneCountInString(v.text))), v.IsText()
	})},
	{Name: "SUBSTR", MinArgs: 2, MaxArgs: 3, Call: substr},
	{Name: "UCASE", MinArgs: 1, MaxArgs: 1, Call: ucase},
	{Name: "LCASE", MinArgs: 1, MaxArgs: 1, Call: lcase},
	{Name: "STRSTARTS", MinArgs: 2, MaxArgs: 2, Call: compatible(strings.HasPrefix)},
	{Name: "STRENDS", MinArgs: 2, MaxArgs: 2, Call: compatible(strings.HasSuffix)},
	{Name: "CONTAINS", MinArgs: 2, MaxArgs: 2, Call: compatible(strings.Contains)},
	{Name: "STRBEFORE", MinArgs: 2, MaxArgs: 2, Call: strBefore},
	{Name: "STRAFTER", MinArgs: 2, MaxArgs: 2, Call: strAfter},
	{Name: "ENCODE_FOR_URI", MinArgs: 1, MaxArgs: 1, Call: encodeForURI},
	{Name: "CONCAT", MinArgs: 0, MaxArgs: -1, Call: concat},
	{Name: "LANGMATCHES", MinArgs: 2, MaxArgs: 2, Call: two(langMatches)},
	{Name: "REGEX", MinArgs: 2, MaxArgs: 3, Call: regexMatch},
	{Name: "REPLACE", MinArgs: 3, MaxArgs: 4, Call: replace},
	{Name: "MD5", MinArgs: 1, MaxArgs: 1, Call: hash(func(b []byte) []byte { s := md5.Sum(b); return s[:] })},
	{Name: "SHA1", MinArgs: 1, MaxArgs: 1, Call: hash(func(b []byte) []byte { s := sha1.Sum(b); return s[:] })},
	{Name: "SHA256", MinArgs: 1, MaxArgs: 1, Call: hash(func(b []byte) []byte { s := sha256.Sum256(b); return s[:] })},
	{Name: "SHA384", MinArgs: 1, MaxArgs: 1, Call: hash(func(b []byte) []byte { s := sha512.Sum384(b); return s[:] })},
	{Name: "SHA512", MinArgs: 1, MaxArgs: 1, Call: hash(func(b []byte) []byte { s := sha512.Sum512(b); return s[:] })},
}

// like returns text as a literal with the tag of v, for the functions that
// keep it.
func like(c *Context, v Value, text string) (Value, bool) {
	if v.kind == String {
		return OfString(text), true
	}
	lang, dir := v.tag()
	if !c.Fits(len(text) + extraEscaped(text) + len(lang) + surfaceRoom) {
		return Value{}, false
	}
	return OfLang(text, lang, dir), true
}

// extraEscaped returns how many bytes longer than itself a text is as a surface.
func extraEscaped(s string) (n int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || '\b' <= c && c <= '\r' && c != '\v':
			n++
		case c < ' ' || c == 0x7f:
			n += 5
		}
	}
	return n
}

// areCompatible is the rule for the two arguments of the string functions
// (SPARQL 17.4.3.1.2): the second has no tag, or that of the first.
func areCompatible(a, b Value) bool {
	if !a.IsText() || !b.IsText() {
		return false
	}
	if b.kind == String {
		return true
	}
	al, ad := a.tag()
	bl, bd := b.tag()
	return al == bl && ad == bd
}

func compatible(f func(a, b string) bool) Func {
	return func(_ *Context, args []Value) (Value, bool) {
		return OfBool(f(args[0].text, args[1].text)), areCompatible(args[0], args[1])
	}
}

// substr is SUBSTR (fn:substring): positions begin at 1, are rounded, and may
// lie outside.
func substr(c *Context, args []Value) (Value, bool) {
	if !args[0].IsText() || !args[1].IsNumeric() {
		return Value{}, false
	}
	from := roundHalfUpFloat(nearest(args[1]))
	to := math.Inf(1)
	if len(args) == 3 {
		if !args[2].IsNumeric() {
			return Value{}, false
		}
		to = from + roundHalfUpFloat(nearest(args[2]))
	}
	if math.IsNaN(from) || math.IsNaN(to) || to <= from || to <= 1 {
		return like(c, args[0], "")
	}
	s := args[0].text
	if from > 1 {
		s = s[byteOffset(s, from-1):]
	}
	if !math.IsInf(to, 1) {
		s = s[:byteOffset(s, to-max(from, 1))]
	}
	return like(c, args[0], s)
}

// byteOffset returns the offset of a character, at most the length of s.
func byteOffset(s string, chars float64) int {
	if chars >= float64(len(s)) {
		return len(s)
	}
	n := int(chars)
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ucase is UCASE with the full mapping of Unicode: "ß" becomes "SS".
func ucase(c *Context, args []Value) (Value, bool) {
	return inCase(c, args[0], strings.ToUpper, cases.Upper)
}

func lcase(c *Context, args []Value) (Value, bool) {
	return inCase(c, args[0], strings.ToLower, cases.Lower)
}

// inCase returns a text in one case. No character becomes more than three times as long.
func inCase(c *Context, v Value, ascii func(string) string, full func(language.Tag, ...cases.Option) cases.Caser) (Value, bool) {
	if !v.IsText() {
		return Value{}, false
	}
	if isASCII(v.text) {
		if !c.Fits(len(v.text)) {
			return Value{}, false
		}
		return like(c, v, ascii(v.text))
	}
	if !c.Fits(3 * len(v.text)) {
		return Value{}, false
	}
	return like(c, v, full(language.Und).String(v.text))
}

// strBefore is STRBEFORE: without a match the empty simple literal.
func strBefore(c *Context, args []Value) (Value, bool) {
	a, b := args[0], args[1]
	if !areCompatible(a, b) {
		return Value{}, false
	}
	if i := strings.Index(a.text, b.text); i >= 0 {
		return like(c, a, a.text[:i])
	}
	return OfString(""), true
}

func strAfter(c *Context, args []Value) (Value, bool) {
	a, b := args[0], args[1]
	if !areCompatible(a, b) {
		return Value{}, false
	}
	if i := strings.Index(a.text, b.text); i >= 0 {
		return like(c, a, a.text[i+len(b.text):])
	}
	return OfString(""), true
}

// encodeForURI is ENCODE_FOR_URI (fn:encode-for-uri): all but the unreserved
// characters of RFC 3986.
func encodeForURI(c *Context, args []Value) (Value, bool) {
	v := args[0]
	if !v.IsText() {
		return Value{}, false
	}
	size := len(v.text)
	for i := 0; i < len(v.text); i++ {
		if !isUnreserved(v.text[i]) {
			size += 2
		}
	}
	if !c.Fits(size) {
		return Value{}, false
	}
	var b strings.Builder
	b.Grow(size)
	for i := 0; i < len(v.text); i++ {
		c := v.text[i]
		if isUnreserved(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[c>>4])
		b.WriteByte("0123456789ABCDEF"[c&15])
	}
	return OfString(b.String()), true
}

func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' || c == '~'
}

// concat is CONCAT: the result has the tag that all arguments have.
func concat(c *Context, args []Value) (Value, bool) {
	size, same := 0, true
	for _, v := range args {
		if !v.IsText() {
			return Value{}, false
		}
		size += len(v.text)
		same = same && v.kind == Lang && sameTag(v, args[0])
	}
	if !c.Fits(size) {
		return Value{}, false
	}
	var b strings.Builder
	b.Grow(size)
	for _, v := range args {
		b.WriteString(v.text)
	}
	if len(args) > 0 && same {
		return like(c, args[0], b.String())
	}
	return OfString(b.String()), true
}

func sameTag(a, b Value) bool {
	al, ad := a.tag()
	bl, bd := b.tag()
	return al == bl && ad == bd
}

// langMatches is basic filtering (RFC 4647, 3.3.1).
func langMatches(tag, pattern Value) (Value, bool) {
	if tag.kind != String || pattern.kind != String {
		return Value{}, false
	}
	t, p := tag.text, pattern.text
	switch {
	case p == "*":
		return OfBool(t != ""), true
	case len(t) < len(p) || p == "": // no tag and no range is empty
		return OfBool(false), true
	}
	return OfBool(strings.EqualFold(t[:len(p)], p) && (len(t) == len(p) || t[len(p)] == '-')), true
}

// hash is a digest of the UTF-8 bytes of a simple literal in lower-case
// hexadecimal digits.
func hash(sum func([]byte) []byte) Func {
	return one(func(v Value) (Value, bool) {
		if v.kind != String {
			return Value{}, false
		}
		return OfString(hex.EncodeToString(sum([]byte(v.text)))), true
	})
}
