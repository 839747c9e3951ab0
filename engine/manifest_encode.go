package engine

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Encode returns the manifest as it is written: UTF-8, two spaces a level, the
// keys in the order of manifest.md 1, then the unknown ones in theirs, one
// newline at the end. What [ParseManifest] reads from it equals m.
func (m *Manifest) Encode() []byte {
	w := new(encoder)
	w.open('{')
	w.field("rete_manifest").int(1)
	w.field("name").text(m.Name)
	w.field("generation").int(m.Generation)
	w.field("log").open('[')
	for _, e := range m.Log {
		w.item().entry(e)
	}
	w.close(']')
	if m.Lineage != "" {
		w.field("lineage").text(m.Lineage)
	}
	if m.Commit != "" {
		w.field("commit").text(m.Commit)
	}
	if len(m.Recent) > 0 {
		w.field("recent").open('{')
		for _, r := range m.Recent {
			w.field(r.ID).int(r.Generation)
		}
		w.close('}')
	}
	if m.Sealed != nil {
		w.field("sealed").open('{')
		for _, id := range slices.Sorted(maps.Keys(m.Sealed)) {
			w.field(id).int(m.Sealed[id])
		}
		w.close('}')
	}
	if m.Previous != nil {
		w.field("previous").open('{')
		w.file(m.Previous)
		w.close('}')
	}
	if !m.At.IsZero() {
		w.field("at").text(m.At.UTC().Format(time.RFC3339Nano))
	}
	if m.Note != "" {
		w.field("note").text(m.Note)
	}
	if m.Card != nil {
		w.field("card").raw(m.Card)
	}
	w.unknown(m.unknown)
	w.close('}')
	return append(w.out, '\n')
}

func (w *encoder) entry(e LogEntry) {
	w.open('{')
	if e.Adds != nil {
		w.field("adds").segment(e.Adds)
	}
	if e.Dels != nil {
		w.field("dels").segment(e.Dels)
	}
	w.unknown(e.unknown)
	w.close('}')
}

func (w *encoder) segment(s *SegmentRef) {
	w.open('{')
	w.pin(&s.FileRef)
	if s.Quads != nil {
		w.field("quads").int(*s.Quads)
	}
	if s.Canonical != nil {
		w.field("canonical").raw(strconv.AppendBool(nil, *s.Canonical))
	}
	if s.Extra != nil {
		w.field("extra_blake3_16").text(hex.EncodeToString(s.Extra[:]))
	}
	w.unknown(s.FileRef.unknown)
	w.close('}')
}

func (w *encoder) file(f *FileRef) {
	w.pin(f)
	w.unknown(f.unknown)
}

func (w *encoder) pin(f *FileRef) {
	w.field("url").text(f.URL)
	w.field("size").int(f.Size)
	w.field("blake3_16").text(hex.EncodeToString(f.Hash[:]))
}

// encoder writes indented JSON. field and item begin a member or an element.
type encoder struct {
	out   []byte
	depth int
	empty bool // nothing in the current object or array yet
}

func (w *encoder) open(c byte) {
	w.out = append(w.out, c)
	w.depth++
	w.empty = true
}

func (w *encoder) close(c byte) {
	w.depth--
	if !w.empty {
		w.line()
	}
	w.out = append(w.out, c)
	w.empty = false
}

func (w *encoder) line() {
	w.out = append(w.out, '\n')
	for range w.depth {
		w.out = append(w.out, ' ', ' ')
	}
}

func (w *encoder) item() *encoder {
	if !w.empty {
		w.out = append(w.out, ',')
	}
	w.empty = false
	w.line()
	return w
}

func (w *encoder) field(key string) *encoder {
	w.item().text(key)
	w.out = append(w.out, ':', ' ')
	return w
}

func (w *encoder) int(n int64) { w.out = strconv.AppendInt(w.out, n, 10) }

// text writes a string, escaping only what JSON makes us escape.
func (w *encoder) text(s string) {
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

// raw writes a value in its own spelling with our indentation.
func (w *encoder) raw(value []byte) {
	var b bytes.Buffer
	prefix := string(bytes.Repeat([]byte("  "), w.depth))
	if err := json.Indent(&b, value, prefix, "  "); err != nil {
		panic("engine: a value that is not JSON: " + err.Error()) // a bug: the parser checked it
	}
	w.out = append(w.out, b.Bytes()...)
}

func (w *encoder) unknown(fields []unknownField) {
	for _, f := range fields {
		w.field(f.key).raw(f.raw)
	}
}
