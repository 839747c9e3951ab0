package textindex

import (
	"slices"
	"unicode/utf8"
)

// Word is one word of a query: a token, or the beginning of tokens.
type Word struct {
	Text   string
	Prefix bool
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
			list = append(list, Word{string(low), true})
		} else if utf8.RuneCountInString(piece) > 1 {
			list = append(list, Word{string(appendLower(nil, []byte(piece))), false})
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

// Matches reports whether a token is the word, or begins with it.
func (w *Word) Matches(token []byte) bool {
	if len(token) < len(w.Text) || string(token[:len(w.Text)]) != w.Text {
		return false
	}
	return w.Prefix || len(token) == len(w.Text)
}
