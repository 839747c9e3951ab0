package engine

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/damage"
)

// ManifestError says where a manifest is not valid. It matches the damage
// sentinel.
type ManifestError struct {
	File   string // "" where the parser knows no name
	Line   int    // from 1
	Column int    // in characters, from 1
	Path   string // JSON path, $ is the root
	Detail string
}

func (e *ManifestError) Error() string {
	at := fmt.Sprintf("%d:%d", e.Line, e.Column)
	if e.File != "" {
		at = e.File + ":" + at
	}
	return fmt.Sprintf("%s: %s: %s", at, e.Path, e.Detail)
}

// Is makes errors.Is(err, damage.Err) true.
func (e *ManifestError) Is(target error) bool { return target == damage.Err }

// maxDepth bounds the nesting of a manifest.
const maxDepth = 64

// decoder reads JSON token by token. It is stricter than the grammar in one
// point: a key may stand once in an object. Methods panic with *ManifestError;
// parse recovers it.
type decoder struct {
	src   []byte
	at    int
	depth int
	path  []string // of the value being read
}

// parse runs read over src and returns the error that ended it.
func parseJSON(src []byte, read func(d *decoder)) (err error) {
	d := &decoder{src: src, path: []string{"$"}}
	defer func() {
		if r := recover(); r != nil {
			me, ok := r.(*ManifestError)
			if !ok {
				panic(r)
			}
			err = me
		}
	}()
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		d.fail(0, "a byte order mark; plain UTF-8 is expected")
	}
	read(d)
	if d.space(); d.at < len(src) {
		d.fail(d.at, "%s after the end", d.found())
	}
	return nil
}

// fail ends the parse with an error at an offset.
func (d *decoder) fail(at int, format string, args ...any) {
	before := d.src[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	panic(&ManifestError{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[start:]) + 1,
		Path:   strings.Join(d.path, ""),
		Detail: fmt.Sprintf(format, args...),
	})
}

func (d *decoder) space() {
	for d.at < len(d.src) {
		switch d.src[d.at] {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return
		}
	}
}

// found describes what stands at the current place.
func (d *decoder) found() string {
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
func (d *decoder) want(c byte, what string) {
	d.space()
	if d.at >= len(d.src) || d.src[d.at] != c {
		d.fail(d.at, "expected %s, found %s", what, d.found())
	}
	d.at++
}

// next skips spaces and reports whether c stands there.
func (d *decoder) next(c byte) bool {
	d.space()
	return d.at < len(d.src) && d.src[d.at] == c
}

// null skips a null if one stands there.
func (d *decoder) null() bool {
	d.space()
	if bytes.HasPrefix(d.src[d.at:], []byte("null")) {
		d.at += len("null")
		return true
	}
	return false
}

func (d *decoder) enter() {
	if d.depth++; d.depth > maxDepth {
		d.fail(d.at, "nested deeper than %d", maxDepth)
	}
}

// object reads an object and calls member for each key, with the offset of the
// key; member reads the value.
func (d *decoder) object(member func(key string, at int)) {
	d.want('{', "an object")
	d.enter()
	seen := map[string]bool{}
	for first := true; !d.next('}'); first = false {
		if !first {
			d.want(',', "a comma or }")
		}
		d.space()
		at := d.at
		key := d.text("a key")
		if seen[key] {
			d.fail(at, "the key %q stands here twice", key)
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

// array reads an array and calls item for each element, which it reads.
func (d *decoder) array(item func(i int)) {
	d.want('[', "an array")
	d.enter()
	for i := 0; !d.next(']'); i++ {
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

// text reads a string.
func (d *decoder) text(what string) string {
	d.want('"', what)
	var out []byte
	for {
		if d.at >= len(d.src) {
			d.fail(d.at, "a string without its end")
		}
		switch c := d.src[d.at]; {
		case c == '"':
			d.at++
			return string(out)
		case c == '\\':
			out = d.escape(out)
		case c < ' ':
			d.fail(d.at, "a control character in a string")
		case c < utf8.RuneSelf:
			out = append(out, c)
			d.at++
		default:
			r, n := utf8.DecodeRune(d.src[d.at:])
			if r == utf8.RuneError && n == 1 {
				d.fail(d.at, "a byte that is not UTF-8")
			}
			out = append(out, d.src[d.at:d.at+n]...)
			d.at += n
		}
	}
}

func (d *decoder) escape(out []byte) []byte {
	start := d.at
	d.at++ // the backslash
	if d.at >= len(d.src) {
		d.fail(d.at, "a string without its end")
	}
	c := d.src[d.at]
	d.at++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return append(out, "\"\\/\b\f\n\r\t"[i])
	}
	if c != 'u' {
		d.fail(start, "an escape that JSON does not have")
	}
	r := d.hex4(start)
	if utf16.IsSurrogate(r) {
		if !bytes.HasPrefix(d.src[d.at:], []byte(`\u`)) {
			d.fail(start, "half of a surrogate pair")
		}
		d.at += 2
		if r = utf16.DecodeRune(r, d.hex4(start)); r == utf8.RuneError {
			d.fail(start, "half of a surrogate pair")
		}
	}
	return utf8.AppendRune(out, r)
}

func (d *decoder) hex4(start int) rune {
	var r rune
	for range 4 {
		if d.at >= len(d.src) {
			d.fail(d.at, "a string without its end")
		}
		i := strings.IndexByte("0123456789abcdef", lower(d.src[d.at]))
		if i < 0 {
			d.fail(start, `\u without four hex digits`)
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
func (d *decoder) number() string {
	start := d.at
	digits := func() {
		from := d.at
		for d.at < len(d.src) && '0' <= d.src[d.at] && d.src[d.at] <= '9' {
			d.at++
		}
		if d.at == from {
			d.fail(start, "expected a number")
		}
	}
	if d.next('-') {
		d.at++
	}
	zero := d.at < len(d.src) && d.src[d.at] == '0'
	from := d.at
	if digits(); zero && d.at > from+1 {
		d.fail(start, "a number that begins with 0")
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

// any reads a value of any kind and returns its text.
func (d *decoder) any() []byte {
	d.space()
	start := d.at
	if d.at >= len(d.src) {
		d.fail(d.at, "expected a value, found the end of the file")
	}
	switch c := d.src[d.at]; {
	case c == '"':
		d.text("a string")
	case c == '{':
		d.object(func(string, int) { d.any() })
	case c == '[':
		d.array(func(int) { d.any() })
	case c == '-' || '0' <= c && c <= '9':
		d.number()
	default:
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(d.src[d.at:], []byte(word)) {
				d.at += len(word)
				return bytes.Clone(d.src[start:d.at])
			}
		}
		d.fail(d.at, "expected a value, found %s", d.found())
	}
	return bytes.Clone(d.src[start:d.at])
}
