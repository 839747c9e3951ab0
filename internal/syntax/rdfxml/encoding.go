package rdfxml

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// encodingError says that a document is not in an encoding that can be read.
type encodingError string

func (e encodingError) Error() string { return string(e) }

// detect finds out by its first bytes how a document is encoded (XML 1.0, 4.3.3 and appendix F).
// The source is that document without its byte order mark, in UTF-8 if it is in UTF-16.
func (s *source) detect(src io.Reader) error {
	b := bufio.NewReaderSize(src, 64<<10)
	s.src = b
	head, _ := b.Peek(4) // an error comes again
	has := func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) }
	mark := 0
	switch {
	case has("\x00\x00\xfe\xff"), has("\xff\xfe\x00\x00"), has("\x00\x00\x00<"), has("<\x00\x00\x00"):
		return encodingError("the document is in UTF-32, which is not supported: convert it to UTF-8")
	case has("\x4c\x6f\xa7\x94"):
		return encodingError("the document is in EBCDIC, which is not supported: convert it to UTF-8")
	case has("\xef\xbb\xbf"):
		s.marked, mark = true, 3
	case has("\xfe\xff"):
		s.src, s.wide, mark = newUTF16(b, binary.BigEndian), true, 2
	case has("\xff\xfe"):
		s.src, s.wide, mark = newUTF16(b, binary.LittleEndian), true, 2
	case has("\x00<\x00"):
		s.src, s.wide = newUTF16(b, binary.BigEndian), true
	case len(head) == 4 && has("<\x00") && head[3] == 0:
		s.src, s.wide = newUTF16(b, binary.LittleEndian), true
	}
	s.offset = int64(mark)
	if _, err := b.Discard(mark); err != nil {
		return err
	}
	s.src = newDeclared(s.src)
	return nil
}

// wideReader turns UTF-16 into UTF-8.
type wideReader struct {
	src   *bufio.Reader
	order binary.ByteOrder
	rest  []byte // of a character that the caller had no room for
	err   error
}

func newUTF16(src *bufio.Reader, order binary.ByteOrder) *wideReader {
	return &wideReader{src: src, order: order}
}

func (w *wideReader) Read(p []byte) (int, error) {
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	for n < len(p) && w.err == nil {
		if n > 0 && w.src.Buffered() < 4 {
			break // do not wait for more
		}
		var r rune
		if r, w.err = w.next(); w.err == nil {
			var buf [utf8.UTFMax]byte
			text := buf[:utf8.EncodeRune(buf[:], r)]
			k := copy(p[n:], text)
			n, w.rest = n+k, append(w.rest[:0], text[k:]...)
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, w.err
}

// next returns a character.
func (w *wideReader) next() (rune, error) {
	r, err := w.unit()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	low, err := w.unit()
	if err == io.EOF {
		err = endsWithin
	}
	if err != nil {
		return 0, err
	}
	full := utf16.DecodeRune(r, low)
	if full == utf8.RuneError {
		return 0, encodingError(fmt.Sprintf("the document is not UTF-16: the surrogate U+%04X stands alone", r))
	}
	return full, nil
}

const endsWithin encodingError = "the document is not UTF-16: it ends within a character"

func (w *wideReader) unit() (rune, error) {
	var b [2]byte
	if _, err := io.ReadFull(w.src, b[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = endsWithin
		}
		return 0, err
	}
	return rune(w.order.Uint16(b[:])), nil
}

// charset is what the decoder calls for an encoding that is not UTF-8.
func (s *source) charset(name string, _ io.Reader) (io.Reader, error) {
	plain := plainName(name)
	utf16 := plain == "utf16" || plain == "utf16be" || plain == "utf16le" || plain == "iso10646ucs2"
	switch {
	case s.wide && !utf16:
		return nil, fmt.Errorf("the document is in UTF-16 and declares the encoding %q", name)
	case s.marked && plain != "utf8":
		return nil, fmt.Errorf("the document has the byte order mark of UTF-8 and declares the encoding %q", name)
	case s.wide, plain == "utf8", plain == "usascii", plain == "ascii": // other bytes are invalid UTF-8
		return s, nil
	case utf16:
		return nil, fmt.Errorf("the document declares the encoding %q and is not in UTF-16", name)
	}
	table := tables()[plain]
	if table == nil {
		return nil, fmt.Errorf("encoding %q is not supported: convert the document to UTF-8", name)
	}
	s.single = true
	return &tableReader{src: s, table: table, name: name}, nil
}

// declaresUTF8 reports whether an XML declaration says UTF-8, about which the decoder does not ask.
func declaresUTF8(declaration string) bool {
	_, value, ok := strings.Cut(declaration, "encoding")
	return ok && plainName(strings.Trim(value, " \t\r\n=\"'?")) == "utf8"
}

// plainName brings the spellings of a name together: ISO_8859-15, iso8859-15, ISO-8859-15.
func plainName(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ":") // the year of ISO_8859-1:1987
	return strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(name)
}

// tables are the encodings of one byte a character, by their plain names.
var tables = sync.OnceValue(func() map[string]*charmap.Charmap {
	m := make(map[string]*charmap.Charmap)
	for _, e := range charmap.All {
		c, ok := e.(*charmap.Charmap)
		if !ok || c.DecodeByte('<') != '<' { // EBCDIC
			continue
		}
		name := plainName(c.String())
		m[name] = c
		if page, ok := strings.CutPrefix(name, "ibmcodepage"); ok {
			m["ibm"+page], m["cp"+page] = c, c
		}
	}
	for alias, name := range map[string]string{
		"latin1": "iso88591", "l1": "iso88591", "cp819": "iso88591", "ibm819": "iso88591", "csisolatin1": "iso88591",
		"latin2": "iso88592", "latin5": "iso88599", "latin9": "iso885915", "latin0": "iso885915",
		"cp1250": "windows1250", "cp1251": "windows1251", "cp1252": "windows1252", "xcp1252": "windows1252", "ansi": "windows1252",
	} {
		m[alias] = m[name]
	}
	return m
})

// tableReader turns an encoding of one byte a character into UTF-8.
type tableReader struct {
	src   *source
	table *charmap.Charmap
	name  string
	rest  []byte // of a character
	buf   [utf8.UTFMax]byte
}

func (t *tableReader) ReadByte() (byte, error) {
	if len(t.rest) == 0 {
		c, err := t.src.ReadByte()
		if err != nil || c < utf8.RuneSelf {
			return c, err
		}
		r := t.table.DecodeByte(c)
		if r == utf8.RuneError {
			return 0, fmt.Errorf("the byte 0x%02X is not a character of %s", c, t.name)
		}
		t.rest = t.buf[:utf8.EncodeRune(t.buf[:], r)]
	}
	c := t.rest[0]
	t.rest = t.rest[1:]
	return c, nil
}

func (t *tableReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := t.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}
