// Package strictjson reads, writes and compares JSON whose every byte matters: a key may
// stand once in an object, keys are case-sensitive, depth is bounded, errors have line,
// column and path, and values that are only passed on keep their spelling.
package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Error says where a text is not what was expected.
type Error struct {
	Line   int    // from 1
	Column int    // in characters, from 1
	Path   string // JSON path, $ is the root
	Detail string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s: %s", e.Line, e.Column, e.Path, e.Detail)
}

// maxDepth bounds the nesting.
const maxDepth = 64

// Decoder reads JSON token by token. Its methods end the [Parse] that made it with an
// [Error] where the text is not what they read.
type Decoder struct {
	src   []byte
	at    int
	depth int
	path  []string // of the value being read
}

// Parse runs read over src, which must be read to its end, and returns the [*Error] that
// ended it.
func Parse(src []byte, read func(d *Decoder)) (err error) {
	d := &Decoder{src: src, path: []string{"$"}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		d.Fail(0, "a byte order mark; plain UTF-8 is expected")
	}
	read(d)
	if d.space(); d.at < len(src) {
		d.Fail(d.at, "%s after the end", d.Found())
	}
	return nil
}

// Fail ends the parse with an error at an offset.
func (d *Decoder) Fail(at int, format string, args ...any) { panic(d.Error(at, format, args...)) }

// Error returns an error at an offset, under the path of the value that is read.
func (d *Decoder) Error(at int, format string, args ...any) *Error {
	before := d.src[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return &Error{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[start:]) + 1,
		Path:   strings.Join(d.path, ""),
		Detail: fmt.Sprintf(format, args...),
	}
}

// At skips spaces and returns the offset of what follows.
func (d *Decoder) At() int {
	d.space()
	return d.at
}

func (d *Decoder) space() {
	for d.at < len(d.src) {
		switch d.src[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// Found describes what stands at the current place.
func (d *Decoder) Found() string {
	if d.at >= len(d.src) {
		return "the end of the file"
	}
	switch c := d.src[d.at]; {
	case c == '"':
		return "a string"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '-' || '0' <= c && c <= '9':
		return "a number"
	case bytes.HasPrefix(d.src[d.at:], []byte("null")):
		return "null"
	}
	r, n := utf8.DecodeRune(d.src[d.at:])
	if r == utf8.RuneError && n < 2 {
		return "a byte that is not UTF-8"
	}
	return fmt.Sprintf("%q", r)
}

// want skips spaces and the character c.
func (d *Decoder) want(c byte, what string) {
	d.space()
	if d.at >= len(d.src) || d.src[d.at] != c {
		d.Fail(d.at, "expected %s, found %s", what, d.Found())
	}
	d.at++
}

// Next skips spaces and reports whether c stands there.
func (d *Decoder) Next(c byte) bool {
	d.space()
	return d.at < len(d.src) && d.src[d.at] == c
}

// Null skips a null if one stands there.
func (d *Decoder) Null() bool {
	d.space()
	if bytes.HasPrefix(d.src[d.at:], []byte("null")) {
		d.at += len("null")
		return true
	}
	return false
}

func (d *Decoder) enter() {
	if d.depth++; d.depth > maxDepth {
		d.Fail(d.at, "nested deeper than %d", maxDepth)
	}
}

// Object reads an object and calls member for each key, with the offset of the
// key; member reads the value.
func (d *Decoder) Object(member func(key string, at int)) {
	d.want('{', "an object")
	d.enter()
	seen := map[string]bool{}
	for first := true; !d.Next('}'); first = false {
		if !first {
			d.want(',', "a comma or }")
		}
		d.space()
		at := d.at
		key := d.Text("a key")
		if seen[key] {
			d.Fail(at, "the key %q stands here twice", key)
		}
		seen[key] = true
		d.want(':', "a colon")
		d.path = append(d.path, pathStep(key))
		d.space()
		member(key, at)
		d.path = d.path[:len(d.path)-1]
	}
	d.at++
	d.depth--
}

func pathStep(key string) string {
	for i, c := range key {
		if !(c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || i > 0 && '0' <= c && c <= '9') {
			return fmt.Sprintf("[%q]", key)
		}
	}
	if key == "" {
		return `[""]`
	}
	return "." + key
}

// Array reads an array and calls item for each element, which it reads.
func (d *Decoder) Array(item func(i int)) {
	d.want('[', "an array")
	d.enter()
	for i := 0; !d.Next(']'); i++ {
		if i > 0 {
			d.want(',', "a comma or ]")
		}
		d.path = append(d.path, fmt.Sprintf("[%d]", i))
		d.space()
		item(i)
		d.path = d.path[:len(d.path)-1]
	}
	d.at++
	d.depth--
}

// Text reads a string.
func (d *Decoder) Text(what string) string {
	d.want('"', what)
	var out []byte
	for {
		if d.at >= len(d.src) {
			d.Fail(d.at, "a string without its end")
		}
		switch c := d.src[d.at]; {
		case c == '"':
			d.at++
			return string(out)
		case c == '\\':
			out = d.escape(out)
		case c < ' ':
			d.Fail(d.at, "a control character in a string")
		case c < utf8.RuneSelf:
			out = append(out, c)
			d.at++
		default:
			r, n := utf8.DecodeRune(d.src[d.at:])
			if r == utf8.RuneError && n == 1 {
				d.Fail(d.at, "a byte that is not UTF-8")
			}
			out = append(out, d.src[d.at:d.at+n]...)
			d.at += n
		}
	}
}

func (d *Decoder) escape(out []byte) []byte {
	start := d.at
	d.at++ // the backslash
	if d.at >= len(d.src) {
		d.Fail(d.at, "a string without its end")
	}
	c := d.src[d.at]
	d.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return append(out, "\"\\/\b\f\n\r\t"[i])
	}
	if c != 'u' {
		d.Fail(start, "an escape that JSON does not have")
	}
	r := d.hex4(start)
	if utf16.IsSurrogate(r) {
		if !bytes.HasPrefix(d.src[d.at:], []byte(`\u`)) {
			d.Fail(start, "half of a surrogate pair")
		}
		d.at += 2
		if r = utf16.DecodeRune(r, d.hex4(start)); r == utf8.RuneError {
			d.Fail(start, "half of a surrogate pair")
		}
	}
	return utf8.AppendRune(out, r)
}

func (d *Decoder) hex4(start int) rune {
	var r rune
	for range 4 {
		if d.at >= len(d.src) {
			d.Fail(d.at, "a string without its end")
		}
		i := strings.IndexByte("0123456789abcdef", lower(d.src[d.at]))
		if i < 0 {
			d.Fail(start, `\u without four hex digits`)
		}
		r = r<<4 | rune(i)
		d.at++
	}
	return r
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// number reads a number and returns its text.
func (d *Decoder) number() string {
	start := d.at
	digits := func() {
		from := d.at
		for d.at < len(d.src) && '0' <= d.src[d.at] && d.src[d.at] <= '9' {
			d.at++
		}
		if d.at == from {
			d.Fail(start, "expected a number")
		}
	}
	if d.Next('-') {
		d.at++
	}
	zero := d.at < len(d.src) && d.src[d.at] == '0'
	from := d.at
	if digits(); zero && d.at > from+1 {
		d.Fail(start, "a number that begins with 0")
	}
	if d.at < len(d.src) && d.src[d.at] == '.' {
		d.at++
		digits()
	}
	if d.at < len(d.src) && lower(d.src[d.at]) == 'e' {
		d.at++
		if d.at < len(d.src) && (d.src[d.at] == '+' || d.src[d.at] == '-') {
			d.at++
		}
		digits()
	}
	return string(d.src[start:d.at])
}

// Any reads a value of any kind and returns its text, which is the caller's.
func (d *Decoder) Any() []byte {
	start := d.At()
	if d.at >= len(d.src) {
		d.Fail(d.at, "expected a value, found the end of the file")
	}
	switch c := d.src[d.at]; {
	case c == '"':
		d.Text("a string")
	case c == '{':
		d.Object(func(string, int) { d.Any() })
	case c == '[':
		d.Array(func(int) { d.Any() })
	case c == '-' || '0' <= c && c <= '9':
		d.number()
	default:
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(d.src[d.at:], []byte(word)) {
				d.at += len(word)
				return bytes.Clone(d.src[start:d.at])
			}
		}
		d.Fail(d.at, "expected a value, found %s", d.Found())
	}
	return bytes.Clone(d.src[start:d.at])
}

// Count reads an integer from 0 on, written without point and exponent.
func (d *Decoder) Count() int64 {
	start := d.At()
	if !d.Next('-') && (d.at >= len(d.src) || d.src[d.at] < '0' || d.src[d.at] > '9') {
		d.Fail(d.at, "expected a whole number, found %s", d.Found())
	}
	text := d.number()
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		d.Fail(start, "expected a whole number from 0 to 2^63-1, found %s", text)
	}
	return int64(n)
}

// Boolean reads true or false.
func (d *Decoder) Boolean() bool {
	start := d.At()
	switch string(d.Any()) {
	case "true":
		return true
	case "false":
		return false
	}
	d.Fail(start, "expected true or false")
	return false
}
