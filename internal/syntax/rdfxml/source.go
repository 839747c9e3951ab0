package rdfxml

import (
	"io"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf"
)

// source hands bytes to the XML decoder one by one, so that it knows at every
// token where the decoder stands.
type source struct {
	src    io.Reader
	buf    []byte
	i, end int
	err    error

	line, column int // of the next byte, from 1, in characters
	offset       int64
	last         byte
	cr           bool
	single       bool // one byte is one character
	marked       bool // it begins with the byte order mark of UTF-8
	wide         bool // src has UTF-16, of which this is UTF-8
}

func newSource(src io.Reader) *source {
	s := &source{buf: make([]byte, 64<<10), line: 1, column: 1}
	s.err = s.detect(src)
	return s
}

// ReadByte implements io.ByteReader, which the decoder prefers.
func (s *source) ReadByte() (byte, error) {
	for tries := 0; s.i == s.end; tries++ {
		if s.err != nil {
			return 0, s.err
		}
		if tries == 100 {
			return 0, io.ErrNoProgress
		}
		n, err := s.src.Read(s.buf)
		s.i, s.end, s.err = 0, max(n, 0), err
	}
	c := s.buf[s.i]
	s.i++
	s.offset += s.width(c)
	s.last = c
	switch {
	case c == '\n' && s.cr:
		s.cr = false
	case c == '\n' || c == '\r':
		s.line++
		s.column = 1
		s.cr = c == '\r'
	default:
		s.cr = false
		if s.single || utf8.RuneStart(c) {
			s.column++
		}
	}
	return c, nil
}

// width returns how many bytes of the document a byte stands for.
func (s *source) width(c byte) int64 {
	switch {
	case !s.wide:
		return 1
	case !utf8.RuneStart(c):
		return 0
	case c >= 0xf0: // two surrogates
		return 4
	}
	return 2
}

// Read implements io.Reader, which the decoder's type demands.
func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// place is where a token begins.
type place struct {
	line, column int
	offset       int64
	blank        int64 // bytes of a blank
}

// place returns where the next token begins. After text the decoder has read
// the '<' of that token already.
func (s *source) place() place {
	p := place{s.line, s.column, s.offset, s.width(' ')}
	if s.last == '<' {
		p.column--
		p.offset -= p.blank
	}
	return p
}

// past returns the place after the blanks that text begins with.
func (p place) past(text []byte) place {
	for _, c := range text {
		switch c {
		case '\n':
			p.line, p.column = p.line+1, 0
		case ' ', '\t', '\r':
		default:
			return p
		}
		p.column++
		p.offset += p.blank
	}
	return p
}

func (p place) fault(file, expected, found string) *rdf.SyntaxError {
	return &rdf.SyntaxError{File: file, Line: p.line, Column: p.column, Offset: p.offset, Expected: expected, Found: found}
}
