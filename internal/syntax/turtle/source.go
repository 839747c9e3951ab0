package turtle

import (
	"io"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

const (
	bufferSize = 64 << 10
	// slack is more than the longest escape or character: a fault nearer to the
	// end of the buffer may be one of the buffer, not of the document.
	slack = 16
)

// source is a sliding window over the document. The window begins at the token
// that is looked at and reaches as far as was read.
type source struct {
	src io.Reader
	buf []byte
	i   int // start of the window
	end int // end of the window
	eof bool
	err error        // what the source reported, other than io.EOF
	pos lex.Position // of buf[0]
}

func (s *source) window() []byte { return s.buf[s.i:s.end] }

// need makes the window at least n bytes long, if the document is.
func (s *source) need(n int) {
	for s.end-s.i < n && !s.eof {
		s.more()
	}
}

// peek returns the byte at offset k of the window, 0 after the end.
func (s *source) peek(k int) byte {
	if s.i+k >= s.end {
		s.need(k + 1)
		if s.i+k >= s.end {
			return 0
		}
	}
	return s.buf[s.i+k]
}

// more reads on, to at least twice the window if the source has that much, so
// that scanning a token again after it costs no more than the token is long.
func (s *source) more() {
	want := 2 * (s.end - s.i)
	s.pos.Advance(s.buf[:s.i])
	s.end = copy(s.buf, s.buf[s.i:s.end])
	s.i = 0
	if want > len(s.buf) || len(s.buf) == 0 {
		buf := make([]byte, max(min(want, rdf.MaxToken+slack), bufferSize))
		copy(buf, s.buf[:s.end])
		s.buf = buf
	}
	for tries := 0; s.end < len(s.buf); {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += max(n, 0)
		if err != nil {
			s.eof = true
			if err != io.EOF {
				s.err = err
			}
			return
		}
		if n > 0 && s.end >= want {
			return
		}
		if tries++; n > 0 {
			tries = 0
		} else if tries == 100 {
			s.eof, s.err = true, io.ErrNoProgress
			return
		}
	}
}

// retry reports whether a scanner that stopped at offset pos of the window may
// get further: it reads on if the document goes on and pos is near the end.
func (s *source) retry(pos int) bool {
	if s.eof || pos+slack < s.end-s.i || s.end-s.i >= rdf.MaxToken {
		return false
	}
	s.more()
	return true
}

// skip moves the window over blanks, line ends and comments.
func (s *source) skip() *lex.Error {
	for {
		for s.i < s.end {
			switch c := s.buf[s.i]; c {
			case ' ', '\n', '\t', '\r':
				s.i++
			case '#':
				if err := s.comment(); err != nil {
					return err
				}
			default:
				return nil
			}
		}
		if s.eof {
			return nil
		}
		s.more()
	}
}

func (s *source) comment() *lex.Error {
	for {
		for s.i < s.end {
			c := s.buf[s.i]
			if c == '\n' || c == '\r' {
				return nil
			}
			n := 1
			if c >= utf8.RuneSelf {
				s.need(utf8.UTFMax)
				var r rune
				if r, n = utf8.DecodeRune(s.window()); r == utf8.RuneError && n <= 1 {
					return s.fault("UTF-8 text in a comment")
				}
			}
			s.i += n
		}
		if s.eof {
			return nil
		}
		s.more()
	}
}

// fault is an error at the start of the window.
func (s *source) fault(expected string) *lex.Error {
	s.need(utf8.UTFMax)
	return lex.Fault(s.window(), 0, expected)
}

// offset returns the offset of the window in the document.
func (s *source) offset() int64 { return s.pos.Offset + int64(s.i) }

// position returns the position of offset k of the window.
func (s *source) position(k int) lex.Position {
	pos := s.pos
	pos.Advance(s.buf[:min(s.i+k, s.end)])
	return pos
}
