package shell

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/rete-go/rete/sparql"
)

// complete reports whether a text can be run: a command, or SPARQL that ends, rightly or with
// an error that more text does not mend.
func complete(text string, opt *sparql.ParseOptions) bool {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" || isCommand(trimmed) && planned(trimmed) == "":
		return true
	case isCommand(trimmed):
		return complete(planned(trimmed)+text[len(strings.TrimRight(text, " \t\r\n")):], opt)
	case strings.HasSuffix(text, "\\"): // more is wanted
		return false
	case open(text):
		return false
	case strings.HasSuffix(strings.ReplaceAll(text, "\r", ""), "\n\n"): // an empty line
		return true
	}
	err := check(text, opt)
	var syntax *sparql.SyntaxError
	return !errors.As(err, &syntax) || syntax.Offset < len(strings.TrimRight(withoutComment(text), " \t\r\n"))
}

// planned returns the query of a command that shows a plan.
func planned(text string) string {
	for _, name := range []string{".explain ", ".analyze "} {
		if query, ok := strings.CutPrefix(text, name); ok {
			return strings.TrimSpace(query)
		}
	}
	return ""
}

// check reads a text as a query or an update. The error is that of the one that goes further.
func check(text string, opt *sparql.ParseOptions) error {
	q, err := sparql.Parse(text, opt)
	if err == nil {
		q.Close()
		return nil
	}
	_, uerr := sparql.ParseUpdate(text, opt)
	if uerr == nil && !isPrologue(text, opt) {
		return nil
	}
	return further(err, uerr)
}

// isPrologue reports whether a text, which is an update, has no operation: declarations alone.
func isPrologue(text string, opt *sparql.ParseOptions) bool {
	_, err := sparql.Parse(text+"\nASK {}", opt)
	return err == nil
}

// further returns the syntax error at the later place.
func further(a, b error) error {
	var sa, sb *sparql.SyntaxError
	if errors.As(a, &sa) && errors.As(b, &sb) && sb.Offset > sa.Offset {
		return b
	}
	return a
}

// isCommand reports whether a text is a command of the shell.
func isCommand(text string) bool { return strings.HasPrefix(text, ".") }

// withoutComment drops a comment that ends the text.
func withoutComment(text string) string {
	last := text[strings.LastIndexByte(strings.TrimRight(text, "\r\n"), '\n')+1:]
	if at := strings.Index(last, "# "); at >= 0 && !open(text[:len(text)-len(last)+at]) {
		return text[:len(text)-len(last)+at]
	}
	return text
}

// open reports whether a text ends inside of brackets or of a long string.
func open(text string) bool {
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '<':
			if end := strings.IndexAny(text[i+1:], ">\" \n\t{}|\\^`<"); end >= 0 && text[i+1+end] == '>' {
				i += end + 1
			}
			i++
		case c == '"' || c == '\'':
			n, ended := quoted(text[i:])
			if !ended {
				return true
			}
			i += n
		case strings.IndexByte("{([", c) >= 0:
			depth++
			i++
		case strings.IndexByte("})]", c) >= 0:
			depth--
			i++
		default:
			i++
		}
	}
	return depth > 0
}

// quoted returns the length of the string that a text begins with; false if a long one does
// not end. A short one ends with its line.
func quoted(text string) (int, bool) {
	mark := text[:1]
	if long := strings.Repeat(mark, 3); strings.HasPrefix(text, long) {
		mark = long
	}
	for i := len(mark); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], mark):
			return i + len(mark), true
		case text[i] == '\n' && len(mark) == 1:
			return i, true
		}
	}
	return len(text), len(mark) == 1
}

// starters begin a statement.
var starters = []string{"SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "PREFIX", "BASE", "VERSION", "INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}

// starts reports whether a line begins a statement.
func starts(line string) bool {
	line = strings.ToUpper(strings.TrimSpace(line))
	for _, word := range starters {
		if rest, ok := strings.CutPrefix(line, word); ok && (rest == "" || strings.IndexByte(" \t{<?$*(", rest[0]) >= 0) {
			return true
		}
	}
	return isCommand(line)
}

// reader reads the statements of a script. A statement ends at a line after which it can be
// run, if the next line is empty or begins another one, or at the end of the script.
type reader struct {
	r       *bufio.Reader
	options func() *sparql.ParseOptions
	line    int     // lines that were read
	ahead   *string // a line that was read too early
}

// ends reports whether a text ends before a line that begins a statement: not after the sign
// between the operations of an update.
func (r *reader) ends(text string) bool {
	return !strings.HasSuffix(strings.TrimSpace(withoutComment(text)), ";") && complete(text, r.options())
}

// read returns the next line, with its line feed, if it has one.
func (r *reader) read() (string, error) {
	if r.ahead != nil {
		line := *r.ahead
		r.ahead = nil
		r.line++
		return line, nil
	}
	line, err := r.r.ReadString('\n')
	if line == "" && err != nil {
		return "", err
	}
	r.line++
	return line, nil
}

// next returns a statement and the line that it begins at; [io.EOF] after the last one.
func (r *reader) next() (text string, first int, err error) {
	var b strings.Builder
	for {
		line, err := r.read()
		if err == io.EOF && strings.TrimSpace(b.String()) != "" {
			return b.String(), first, nil
		}
		if err != nil {
			return "", r.line, err
		}
		if b.Len() == 0 {
			if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
				continue
			}
			first = r.line
		}
		b.WriteString(line)
		if text := strings.TrimSpace(b.String()); isCommand(text) && planned(text) == "" {
			return b.String(), first, nil
		}
		if open(b.String()) {
			continue
		}
		after, err := r.read()
		if err == io.EOF {
			return b.String(), first, nil
		}
		if err != nil {
			return "", r.line, err
		}
		r.ahead, r.line = &after, r.line-1
		if strings.TrimSpace(after) == "" || starts(after) && r.ends(b.String()) {
			return b.String(), first, nil
		}
	}
}
