package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
	"github.com/rete-go/rete/sparql/value"
)

// answer is a multiset of rows: how many, and the sum of their hashes.
type answer struct {
	rows int
	sum  uint64
}

// add adds a row of cells, in any order.
func (a *answer) add(cells []string) {
	slices.Sort(cells)
	h := xxhash.New()
	for _, c := range cells {
		_, _ = h.WriteString(c) // never fails
		_, _ = h.WriteString("\x00")
	}
	a.rows++
	a.sum += h.Sum64()
}

// normal spells a term so that equal numbers are equal, and blank nodes one.
func normal(t rdf.Term) string {
	switch t.Kind() {
	case rdf.KindBlank:
		return "_"
	case rdf.KindLiteral:
		if f, ok := value.FromTerm(t).Float64(); ok {
			return strconv.FormatFloat(f, 'g', 10, 64)
		}
	}
	return t.Surface()
}

// readAnswer reads a graph as N-Triples, or rows: JSON of results, one object of terms
// in each line, or a lone boolean.
func readAnswer(r io.Reader, graph bool) (*answer, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(5)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("true")), bytes.HasPrefix(head, []byte("fals")):
		a := new(answer)
		a.add([]string{string(head[:4])})
		return a, nil
	case graph:
		return readTriples(in)
	case bytes.HasPrefix(head, []byte("{\"")) && !bytes.HasPrefix(head, []byte(`{"hea`)) && !bytes.HasPrefix(head, []byte(`{"boo`)), len(head) == 0:
		return readObjects(in)
	}
	return readRows(in)
}

func readRows(in io.Reader) (*answer, error) {
	r, err := results.NewReader(in, results.JSON)
	if err != nil {
		return nil, err
	}
	a := new(answer)
	if b, is := r.Boolean(); is {
		a.add([]string{strconv.FormatBool(b)[:4]})
		return a, nil
	}
	row := make([]rdf.Term, len(r.Vars()))
	for {
		if err := r.Read(row); err == io.EOF {
			return a, nil
		} else if err != nil {
			return nil, err
		}
		var cells []string
		for i, t := range row {
			if !t.IsZero() {
				cells = append(cells, r.Vars()[i]+"="+normal(t))
			}
		}
		a.add(cells)
	}
}

func readTriples(in io.Reader) (*answer, error) {
	r := nquads.NewTriplesReader(in, rdf.Options{Lenient: true})
	a := new(answer)
	var raw rdf.RawQuad
	for {
		if err := r.Read(&raw); err == io.EOF {
			return a, nil
		} else if err != nil {
			return nil, err
		}
		q := raw.Quad()
		a.add([]string{"s=" + normal(q.S), "p=" + normal(q.P), "o=" + normal(q.O)})
	}
}

// readObjects reads an object of names and terms, as N-Triples has them, a line.
func readObjects(in io.Reader) (*answer, error) {
	d := json.NewDecoder(in)
	a := new(answer)
	for {
		var row map[string]string
		if err := d.Decode(&row); err == io.EOF {
			return a, nil
		} else if err != nil {
			return nil, err
		}
		var cells []string
		for name, text := range row {
			t, err := rdf.ParseTerm(text)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
			cells = append(cells, name+"="+normal(t))
		}
		a.add(cells)
	}
}
