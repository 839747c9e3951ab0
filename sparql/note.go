package sparql

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

// WithNotes calls f with remarks about the answer, each a line of text, as soon as they are
// known:
//
//   - before the first row, of variables that are asked for and that no solution binds;
//   - in the place of the first row, if there is none, why there may be none: the default graph
//     is empty and the named graphs are not, or the other way round; a graph, or a term of a
//     pattern, or all terms with a prefix, are not in the data;
//   - at the end, of a regular expression that could not be used, which was made while the
//     query ran (one that stands in the query is an error of the query).
//
// The answer is the same. One with rows takes no more work; without any, the terms of the
// query are looked up.
func WithNotes(f func(note string)) Option { return func(c *config) { c.note = f } }

// maxNotes is how many remarks there are about one answer.
const maxNotes = 8

// notes hands remarks on, each once.
type notes struct {
	to   func(note string)
	seen map[string]bool
}

func (n *notes) add(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(n.seen) >= maxNotes || n.seen[text] {
		return
	}
	if n.seen == nil {
		n.seen = make(map[string]bool)
	}
	n.seen[text] = true
	n.to(text)
}

// noteFaults tells of a regular expression that could not be used.
func (s *session) noteFaults() {
	if s.notes == nil {
		return
	}
	if f, ok := value.FaultOf(s.run.Values); ok {
		found := quoted(f.Pattern)
		if f.Flags != "" {
			found += " with the flags " + quoted(f.Flags)
		}
		s.notes.add("a regular expression has no result: %s; found %s", f.Reason, found)
	}
}

// maxQuoted is how many bytes of a text a note shows.
const maxQuoted = 200

// cut returns the beginning of a text that is long.
func cut(s string) (text, rest string) {
	if len(s) <= maxQuoted {
		return s, ""
	}
	end := maxQuoted
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end], "…"
}

// quoted returns a text between quotation marks, in one line, cut if it is long.
func quoted(s string) string {
	s, rest := cut(s)
	return strconv.Quote(s) + rest
}

// noted returns a term as a note shows it: in one line, cut if it is long.
func noted(t rdf.Term) string {
	s, rest := cut(t.String())
	return s + rest
}
