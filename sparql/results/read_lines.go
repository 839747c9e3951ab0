package results

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/rete-go/rete/rdf"
)

// csvReader reads SPARQL 1.1 Query Results CSV. The format loses the kind of
// terms: fields that begin with "_:" become blank nodes, all others plain
// literals, empty ones unbound.
type csvReader struct {
	c    *csv.Reader
	vars []string
	asked
}

// asked is the answer of an ASK in a line format: one line, no rows.
type asked struct{ answer, is bool }

// Boolean implements [Reader].
func (a asked) Boolean() (b, is bool) { return a.answer, a.is }

func newCSVReader(r io.Reader) (*csvReader, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	head, err := c.Read()
	if err != nil && err != io.EOF {
		return nil, csvError(err)
	}
	x := &csvReader{c: c}
	for _, name := range head {
		x.vars = append(x.vars, strings.Clone(name))
	}
	_, err = index(x.vars)
	return x, err
}

func csvError(err error) error {
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return syntaxError("%v", err)
	}
	return cut(err)
}

// Vars implements [Reader].
func (x *csvReader) Vars() []string { return x.vars }

// Read implements [Reader].
func (x *csvReader) Read(row []rdf.Term) error {
	if err := checkRow(row, x.vars); err != nil {
		return err
	}
	record, err := x.c.Read()
	if err == io.EOF {
		return io.EOF
	}
	if err != nil {
		return csvError(err)
	}
	// The suite has a file with fields too few: the rest is unbound.
	if len(record) > len(row) {
		return syntaxError("%d fields for %d variables", len(record), len(row))
	}
	for i, field := range record {
		switch {
		case field == "":
		case strings.HasPrefix(field, "_:"):
			row[i] = blank(field[2:])
		default:
			row[i] = rdf.String(field)
		}
	}
	return nil
}

// tsvReader reads SPARQL 1.1 Query Results TSV.
type tsvReader struct {
	b    *bufio.Reader
	vars []string
	line int
	asked
}

// maxLine bounds a line of TSV, in bytes.
const maxLine = 256 << 20

func newTSVReader(r io.Reader) (*tsvReader, error) {
	t := &tsvReader{b: bufio.NewReaderSize(r, 64<<10)}
	head, err := t.readLine()
	if err == io.EOF {
		return nil, syntaxError("a line with the variables is missing")
	}
	if err != nil {
		return nil, err
	}
	if head == "true" || head == "false" {
		t.asked = asked{head == "true", true}
		return t, nil
	}
	for name := range strings.SplitSeq(head, "\t") {
		if name == "" && head == "" {
			break // no variables
		}
		if len(name) < 2 || name[0] != '?' && name[0] != '$' {
			return nil, syntaxError("%.40q is no variable", name)
		}
		t.vars = append(t.vars, name[1:])
	}
	_, err = index(t.vars)
	return t, err
}

// readLine returns the next line without its end.
func (t *tsvReader) readLine() (string, error) {
	var long []byte
	for {
		part, err := t.b.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return "", err
		}
		long = append(long, part...)
		if len(long) > maxLine {
			return "", syntaxError("line %d is longer than %d bytes", t.line+1, maxLine)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(long) == 0 {
			return "", io.EOF
		}
		t.line++
		return strings.TrimSuffix(strings.TrimSuffix(string(long), "\n"), "\r"), nil
	}
}

// Vars implements [Reader].
func (t *tsvReader) Vars() []string { return t.vars }

// Read implements [Reader].
func (t *tsvReader) Read(row []rdf.Term) error {
	if err := checkRow(row, t.vars); err != nil {
		return err
	}
	if t.is {
		return io.EOF
	}
	line, err := t.readLine()
	if err != nil {
		return err
	}
	i := 0
	for field := range strings.SplitSeq(line, "\t") {
		if i >= len(row) && field != "" || i > len(row) {
			return syntaxError("line %d: more fields than variables", t.line)
		}
		if field != "" {
			if row[i], err = shortTerm(field); err != nil {
				return syntaxError("line %d, field %d: %v", t.line, i+1, err)
			}
		}
		i++
	}
	return nil
}

// shortTerm parses a term as Turtle spells it, but for prefixed names.
func shortTerm(s string) (rdf.Term, error) {
	switch s[0] {
	case '<', '"', '_':
		t, err := rdf.ParseTerm(s)
		if err == nil && t.Kind() == rdf.KindBlank {
			t = blank(t.Value())
		}
		return t, err
	}
	if s == "true" || s == "false" {
		return rdf.Boolean(s == "true"), nil
	}
	for _, datatype := range []string{rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble} {
		if shortNumber([]byte(s), []byte(datatype)) {
			return rdf.Typed(s, datatype), nil
		}
	}
	return rdf.Term{}, syntaxError("%.80q is no term", s)
}
