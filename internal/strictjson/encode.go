package strictjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Encoder writes indented JSON. Field and Item begin a member or an element, whose value
// the next call writes.
type Encoder struct {
	out   []byte
	depth int
	empty bool // nothing in the current object or array yet
}

// Bytes is what was written so far; it belongs to the encoder.
func (w *Encoder) Bytes() []byte { return w.out }

// Open begins an object or an array with its bracket.
func (w *Encoder) Open(c byte) {
	w.out = append(w.out, c)
	w.depth++
	w.empty = true
}

// Close ends it.
func (w *Encoder) Close(c byte) {
	w.depth--
	if !w.empty {
		w.line()
	}
	w.out = append(w.out, c)
	w.empty = false
}

func (w *Encoder) line() {
	w.out = append(w.out, '\n')
	for range w.depth {
		w.out = append(w.out, ' ', ' ')
	}
}

// Item begins an element of an array.
func (w *Encoder) Item() *Encoder {
	if !w.empty {
		w.out = append(w.out, ',')
	}
	w.empty = false
	w.line()
	return w
}

// Field begins a member of an object.
func (w *Encoder) Field(key string) *Encoder {
	w.Item().Text(key)
	w.out = append(w.out, ':', ' ')
	return w
}

// Int writes a number.
func (w *Encoder) Int(n int64) { w.out = strconv.AppendInt(w.out, n, 10) }

// Text writes a string, escaping only what JSON makes us escape.
func (w *Encoder) Text(s string) {
	const hexDigits = "0123456789abcdef"
	w.out = append(w.out, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			w.out = append(w.out, '\\', byte(r))
		case r == '\n':
			w.out = append(w.out, '\\', 'n')
		case r == '\t':
			w.out = append(w.out, '\\', 't')
		case r < ' ':
			w.out = append(w.out, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			w.out = utf8.AppendRune(w.out, r)
		}
	}
	w.out = append(w.out, '"')
}

// Raw writes a value in its own spelling with our indentation.
func (w *Encoder) Raw(value []byte) {
	var b bytes.Buffer
	prefix := string(bytes.Repeat([]byte("  "), w.depth))
	if err := json.Indent(&b, value, prefix, "  "); err != nil {
		panic("strictjson: a value that is not JSON: " + err.Error()) // a bug: only what Any has read comes here
	}
	w.out = append(w.out, b.Bytes()...)
}
