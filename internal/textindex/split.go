package textindex

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Splitter takes tokens out of text. It may be used again and again, by one goroutine.
type Splitter struct {
	text  []byte // unescaped
	token []byte
}

// ascii has the letters and digits of ASCII.
var ascii = func() (t [256]bool) {
	for c := range byte(utf8.RuneSelf) {
		t[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return t
}()

// Literal calls use with the tokens of the surface of a literal, in their order and with
// repeats. A token is valid during the call. Other terms have no tokens.
func (s *Splitter) Literal(surface []byte, use func(token []byte)) {
	if text, ok := s.unescaped(surface); ok {
		s.Text(text, use)
	}
}

// Text is Literal for text as it is.
func (s *Splitter) Text(text []byte, use func(token []byte)) {
	for i := 0; i < len(text); i++ {
		if !ascii[text[i]] && text[i] < utf8.RuneSelf {
			continue
		}
		start := i
		if i = s.plain(text, start); i < len(text) && text[i] >= utf8.RuneSelf {
			i = s.mixed(text, start, use)
		} else if i-start > 1 {
			use(s.token)
		}
	}
}

// plain puts the lower case of the letters and digits of ASCII from start on into token, and returns where
// they end. It takes eight at a time, so that they can be read again as they were written.
func (s *Splitter) plain(text []byte, start int) (end int) {
	const lower = ('a' - 'A') * eachByte // lower case has this bit, digits have it too
	if s.token == nil {
		s.token = make([]byte, 64)
	}
	token, n := s.token[:cap(s.token)], 0
	for i := start; len(text)-i >= 8; i += 8 {
		if len(token)-n < 16 {
			token = append(token, make([]byte, 64+len(token))...)
		}
		word := binary.LittleEndian.Uint64(text[i:])
		binary.LittleEndian.PutUint64(token[n:], word|lower)
		k := bits.TrailingZeros64(^letters(word)&(high*eachByte)) / 8
		if n += k; k < 8 {
			s.token = token[:n]
			return start + n
		}
	}
	token = token[:n]
	for i := start + n; i < len(text) && ascii[text[i]]; i++ {
		token = append(token, text[i]|('a'-'A'))
	}
	s.token = token
	return start + len(token)
}

const (
	eachByte = 0x0101010101010101
	high     = 0x80
)

// letters returns the high bit of each byte of a word that is a letter or digit of ASCII.
func letters(word uint64) uint64 {
	low := word &^ (high * eachByte)
	folded := low | ('a'-'A')*eachByte
	letter := (folded + (high-'a')*eachByte) &^ (folded + (high-'z'-1)*eachByte)
	digit := (low + (high-'0')*eachByte) &^ (low + (high-'9'-1)*eachByte)
	return (letter | digit) &^ word & (high * eachByte)
}

// mixed calls use with the token that begins in text at start, if one does, and returns the last byte of the
// character that ends it.
func (s *Splitter) mixed(text []byte, start int, use func(token []byte)) (last int) {
	chars, sigma := 0, false
	s.token = s.token[:0]
	i, size := start, 0
	for ; i < len(text); i += size {
		var c rune
		if c, size = utf8.DecodeRune(text[i:]); !isToken(c) {
			break
		}
		sigma = sigma || c == capitalSigma
		s.token = appendLowerRune(s.token, c)
		chars++
	}
	if sigma {
		s.token = appendLower(s.token[:0], text[start:i])
	}
	if chars > 1 {
		use(s.token)
	}
	return i + size - 1
}

// isToken reports whether a character is alphabetic or numeric.
func isToken(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsNumber(c) ||
		unicode.In(c, unicode.Other_Alphabetic, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

const capitalSigma = 'Σ'

// appendLowerRune appends the full lower case of a character, wherever it stands.
func appendLowerRune(dst []byte, c rune) []byte {
	if c == 'İ' { // the one character whose lower case is two
		return append(dst, "i\u0307"...)
	}
	return utf8.AppendRune(dst, unicode.ToLower(c))
}

// appendLower appends the lower case of a token, in which a capital sigma that ends a word
// becomes another letter.
func appendLower(dst, token []byte) []byte {
	for i := 0; i < len(token); {
		c, size := utf8.DecodeRune(token[i:])
		if c == capitalSigma && finalSigma(token[:i], token[i+size:]) {
			dst = utf8.AppendRune(dst, 'ς')
		} else {
			dst = appendLowerRune(dst, c)
		}
		i += size
	}
	return dst
}

// finalSigma reports whether a sigma ends a word: a cased letter stands before it and none
// after it, without regard to characters that case passes over.
func finalSigma(before, after []byte) bool {
	for len(after) > 0 {
		c, size := utf8.DecodeRune(after)
		if !caseIgnorable(c) {
			if cased(c) {
				return false
			}
			break
		}
		after = after[size:]
	}
	for len(before) > 0 {
		c, size := utf8.DecodeLastRune(before)
		if !caseIgnorable(c) {
			return cased(c)
		}
		before = before[:len(before)-size]
	}
	return false
}

func cased(c rune) bool {
	return unicode.In(c, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// caseIgnorable holds for the characters of tokens alone.
func caseIgnorable(c rune) bool {
	return unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// unescaped returns the text of the surface of a literal; false for other terms.
func (s *Splitter) unescaped(surface []byte) ([]byte, bool) {
	if len(surface) < 2 || surface[0] != '"' {
		return nil, false
	}
	rest := surface[1:]
	i := bytes.IndexByte(rest, '"')
	if i < 0 {
		return nil, false
	}
	if bytes.IndexByte(rest[:i], '\\') < 0 {
		return rest[:i], true
	}
	i = bytes.IndexByte(rest, '\\')
	s.text = s.text[:0]
	for {
		s.text = append(s.text, rest[:i]...)
		if rest[i] == '"' {
			return s.text, true
		}
		rest = s.escape(rest[i+1:])
		if i = bytes.IndexAny(rest, `"\`); i < 0 {
			return nil, false
		}
	}
}

// escape appends the character of an escape, of which rest is what stands after the backslash,
// and returns what follows it. What is no escape ends a token.
func (s *Splitter) escape(rest []byte) []byte {
	if len(rest) == 0 {
		return nil
	}
	size := 0
	switch c := rest[0]; c {
	case 'u':
		size = 4
	case 'U':
		size = 8
	case '"', '\'', '\\':
		s.text = append(s.text, c)
		return rest[1:]
	default: // a control character, whichever
		s.text = append(s.text, ' ')
		return rest[1:]
	}
	if len(rest) <= size {
		return nil
	}
	v, err := strconv.ParseUint(string(rest[1:1+size]), 16, 32)
	if err != nil || v > unicode.MaxRune {
		v = utf8.RuneError
	}
	s.text = utf8.AppendRune(s.text, rune(v))
	return rest[1+size:]
}
