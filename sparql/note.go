package sparql

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// WithNotes calls f, when the query ends or before, with remarks about the answer, each a line
// of text: that a regular expression could not be used, which was made while the query ran (one
// that stands in the query is an error of the query).
func WithNotes(f func(note string)) Option { return func(c *config) { c.note = f } }

// noteFaults tells of a regular expression that could not be used.
func (s *session) noteFaults() {
	if s.note == nil {
		return
	}
	if f, ok := s.run.Values.PatternFault(); ok {
		s.note(fmt.Sprintf("a regular expression has no result: %s; found %s", f.Reason, quoted(f.Pattern)))
	}
}

// maxQuoted is how many bytes of a text a note shows.
const maxQuoted = 200

// quoted returns a text between quotation marks, in one line, cut if it is long.
func quoted(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	end := maxQuoted
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strconv.Quote(s[:end]) + "…"
}
