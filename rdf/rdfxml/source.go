package rdfxml

import (
	"fmt"
	"io"
	"strings"
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
	single       bool // one byte is one character: ISO-8859-1
}

func newSource(src io.Reader) *source {
	return &source{src: src, buf: make([]byte, 64<<10), line: 1, column: 1}
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
	s.offset++
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

// charset is what the decoder calls for an encoding that is not UTF-8.
func (s *source) charset(name string, _ io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "us-ascii", "ascii":
		return s, nil // other bytes are no UTF-8 and refused as that
	case "iso-8859-1", "latin1":
		s.single = true
		return &latin1{src: s}, nil
	}
	return nil, fmt.Errorf("encoding %q is not supported: convert the document to UTF-8", name)
}

// latin1 turns ISO-8859-1 into UTF-8.
type latin1 struct {
	src  *source
	tail byte // second byte of a character, 0 if none waits
}

func (l *latin1) ReadByte() (byte, error) {
	if c := l.tail; c != 0 {
		l.tail = 0
		return c, nil
	}
	c, err := l.src.ReadByte()
	if err == nil && c >= utf8.RuneSelf {
		l.tail = 0x80 | c&0x3f
		c = 0xc0 | c>>6
	}
	return c, err
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := l.ReadByte()
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
}

// place returns where the next token begins. Behind text the decoder has read
// the '<' of that token already.
func (s *source) place() place {
	if s.last == '<' {
		return place{s.line, s.column - 1, s.offset - 1}
	}
	return place{s.line, s.column, s.offset}
}

// behind returns the place behind the blanks that text begins with.
func (p place) behind(text []byte) place {
	for _, c := range text {
		switch c {
		case '\n':
			p.line, p.column = p.line+1, 0
		case ' ', '\t', '\r':
		default:
			return p
		}
		p.column++
		p.offset++
	}
	return p
}

func (p place) fault(file, expected, found string) *rdf.SyntaxError {
	return &rdf.SyntaxError{File: file, Line: p.line, Column: p.column, Offset: p.offset, Expected: expected, Found: found}
}
