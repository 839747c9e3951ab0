// Package resultset holds a whole answer of a query in memory, for tests, and compares two.
package resultset

import (
	"io"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
)

// Set is a whole answer in memory: rows, or a boolean.
type Set struct {
	Vars    []string
	Rows    [][]rdf.Term // one term for each variable, the zero Term is unbound
	Boolean *bool        // the answer of an ASK
	Ordered bool         // the rows stand in an order that matters
}

// ReadAll reads an answer to its end.
func ReadAll(r results.Reader) (*Set, error) {
	s := &Set{Vars: r.Vars()}
	if b, is := r.Boolean(); is {
		s.Boolean = &b
		return s, nil
	}
	for {
		row := make([]rdf.Term, len(s.Vars))
		err := r.Read(row)
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		s.Rows = append(s.Rows, row)
	}
}

// WriteTo writes the answer to a [results.Writer] and closes it.
func (s *Set) WriteTo(w results.Writer) error {
	if s.Boolean != nil {
		if err := w.Boolean(*s.Boolean); err != nil {
			return err
		}
		return w.Close()
	}
	if err := w.Head(s.Vars); err != nil {
		return err
	}
	row := make([][]byte, len(s.Vars))
	for _, terms := range s.Rows {
		for i, t := range terms {
			row[i] = []byte(t.Surface())
		}
		if err := w.Row(row); err != nil {
			return err
		}
	}
	return w.Close()
}
