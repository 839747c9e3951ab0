package textindex

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Word is one word of a query: a token, or with Prefix the beginning of tokens, with Suffix their end, with both a
// part of them.
type Word struct {
	Text           string
	Prefix, Suffix bool
}

// Words returns the distinct words of a query, which is cut by the rule of literals. A star
// after a word makes it a prefix, which may be a single character.
func Words(query string) (list []Word) {
	start := 0
	for i, c := range query + " " {
		if c != utf8.RuneError && isToken(c) {
			continue
		}
		if piece := query[start:i]; c == '*' && piece != "" {
			var low []byte
			for _, c := range piece { // the sigma at its end need not end a word
				low = appendLowerRune(low, c)
			}
			list = append(list, Word{Text: string(low), Prefix: true})
		} else if utf8.RuneCountInString(piece) > 1 {
			list = append(list, Word{Text: string(appendLower(nil, []byte(piece)))})
		}
		start = i + 1
		if i < len(query) {
			_, size := utf8.DecodeRuneInString(query[i:])
			start = i + size
		}
	}
	slices.SortFunc(list, func(a, b Word) int {
		switch {
		case a.Text < b.Text:
			return -1
		case a.Text > b.Text:
			return 1
		case a.Prefix == b.Prefix:
			return 0
		case a.Prefix:
			return -1
		}
		return 1
	})
	return slices.Compact(list)
}

// Matches reports whether a token is the word, or has it where it may.
func (w *Word) Matches(token []byte) bool {
	switch n := len(token) - len(w.Text); {
	case n < 0:
		return false
	case w.Prefix && w.Suffix:
		return bytes.Contains(token, []byte(w.Text))
	case w.Suffix:
		return string(token[n:]) == w.Text
	case w.Prefix:
		return string(token[:len(w.Text)]) == w.Text
	default:
		return string(token) == w.Text
	}
}
