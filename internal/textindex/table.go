package textindex

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/rete-go/rete/internal/damage"
)

const (
	// restart is after how many tokens a table can be read from, about.
	restart = 16
	// maxRestart is the longest token from which it can.
	maxRestart = 256
)

// Span is where a list lies among the lists.
type Span struct{ Off, Len uint64 }

// Table is the tokens of an index, unpacked.
type Table struct {
	raw    []byte
	tokens uint64
	starts []start
	keys   []byte // the tokens of starts
}

// start is a place from which a table can be read: after a token that is kept.
type start struct {
	at     int // of the next token in raw
	keyEnd int // of the token, in keys
	span   Span
}

// ParseTable reads a token table whose lists have size bytes together. It keeps raw. A token
// that is not above the one before, or a list that is not among the lists, is damage.
func ParseTable(raw []byte, size uint64) (*Table, error) {
	t := &Table{raw: raw}
	n, k := binary.Uvarint(raw)
	if k <= 0 || n > uint64(len(raw)-k)/4 {
		return nil, damage.New("token table", "%d tokens in %d bytes", n, len(raw))
	}
	t.tokens = n
	w := walk{raw: raw, at: k, left: n}
	since := restart
	for w.left > 0 {
		if err := w.next(); err != nil {
			return nil, err
		}
		if w.below {
			return nil, damage.New("token table", "tokens do not ascend at byte %d", w.at)
		}
		if w.span.Off > size || w.span.Len > size-w.span.Off {
			return nil, damage.New("token table", "a list of %d bytes at %d among %d", w.span.Len, w.span.Off, size)
		}
		if since++; since > restart && len(w.token) <= maxRestart {
			t.keys = append(t.keys, w.token...)
			t.starts = append(t.starts, start{w.at, len(t.keys), w.span})
			since = 1
		}
	}
	t.raw = raw[:w.at]
	return t, nil
}

// Tokens returns how many tokens there are.
func (t *Table) Tokens() uint64 { return t.tokens }

// Bytes returns what the table takes in memory.
func (t *Table) Bytes() int64 {
	return int64(cap(t.raw)) + int64(cap(t.keys)) + int64(cap(t.starts))*32 + 128
}

func (t *Table) key(i int) []byte {
	from := 0
	if i > 0 {
		from = t.starts[i-1].keyEnd
	}
	return t.keys[from:t.starts[i].keyEnd]
}

// From calls use with the tokens that are not below a word, ascending, until it returns false.
// A token is valid during the call.
func (t *Table) From(word string, use func(token []byte, list Span) bool) {
	_, k := binary.Uvarint(t.raw)
	w := walk{raw: t.raw, at: k}
	i := sort.Search(len(t.starts), func(i int) bool { return string(t.key(i)) > word }) - 1
	if i >= 0 {
		s := t.starts[i]
		w.token, w.at, w.span = append(w.token, t.key(i)...), s.at, s.span
		if string(w.token) == word && !use(w.token, w.span) {
			return
		}
	}
	for w.at < len(t.raw) {
		if err := w.next(); err != nil {
			return // not after ParseTable
		}
		if string(w.token) >= word && !use(w.token, w.span) {
			return
		}
	}
}

// walk reads one token after the other.
type walk struct {
	raw   []byte
	at    int
	left  uint64
	token []byte
	span  Span
	begun bool
	below bool // the token is not above the one before
}

// next reads a token.
func (w *walk) next() error {
	shared, ok1 := w.number()
	n, ok2 := w.number()
	if !ok1 || !ok2 || shared > uint64(len(w.token)) || n > uint64(len(w.raw)-w.at) {
		return damage.New("token table", "it ends inside a token at byte %d", w.at)
	}
	more := w.raw[w.at : w.at+int(n)]
	w.below = w.begun && bytes.Compare(more, w.token[shared:]) <= 0
	w.token = append(w.token[:shared], more...)
	w.at += int(n)
	if w.span.Off, ok1 = w.number(); ok1 {
		w.span.Len, ok1 = w.number()
	}
	if !ok1 {
		return damage.New("token table", "it ends inside the place of a list at byte %d", w.at)
	}
	w.left--
	w.begun = true
	return nil
}

func (w *walk) number() (uint64, bool) {
	v, k := binary.Uvarint(w.raw[w.at:])
	if k <= 0 {
		return 0, false
	}
	w.at += k
	return v, true
}

// AppendList appends the subjects of a stored list, which ascend, to dst. None is above most.
func AppendList(dst []uint32, b []byte, most uint32) ([]uint32, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return dst, damage.New("list of subjects", "%d subjects in %d bytes", n, len(b))
	}
	b = b[k:]
	if need := len(dst) + int(n); cap(dst) < need {
		dst = append(make([]uint32, 0, need), dst...)
	}
	last := uint64(0)
	for range n {
		d, k := binary.Uvarint(b)
		if k <= 0 {
			return dst, damage.New("list of subjects", "it ends inside a number")
		}
		if d == 0 || d > uint64(most)-last {
			return dst, damage.New("list of subjects", "a subject that is not after the one before, or not among the %d of the file", most)
		}
		last += d
		dst = append(dst, uint32(last))
		b = b[k:]
	}
	if len(b) > 0 {
		return dst, damage.New("list of subjects", "%d bytes too many", len(b))
	}
	return dst, nil
}
