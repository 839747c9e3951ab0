package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// save writes the answer of the previous query to a file, which appears only when it is whole.
func (s *shell) save(ctx context.Context, name string) error {
	if s.last == "" {
		return errors.New("there was no query yet")
	}
	q, err := s.parse(ctx, s.last)
	if err != nil {
		return err
	}
	defer q.Close()
	format, err := fileFormat(name, isGraph(q))
	if err != nil {
		return err
	}
	return s.on(ctx, func(ds dataset.Dataset) error {
		return s.File(name, func(w io.Writer) error { return sparql.WriteTo(ctx, w, format, ds, q, s.options()...) })
	})
}

// fileFormat is the format that the name of a file tells.
func fileFormat(name string, graph bool) (sparql.Format, error) {
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	if graph {
		if f := rdfio.FormatOf(plain); f != rdfio.Unknown {
			return sparql.GraphFormat(f), nil
		}
		return sparql.Format{}, fmt.Errorf("%s: the answer is a graph; the name of the file ends with %s", name, strings.Join(rdfio.Extensions(), ", "))
	}
	if f, ok := results.FormatOf(plain); ok {
		return sparql.RowFormat(f), nil
	}
	return sparql.Format{}, fmt.Errorf("%s: the answer is rows; the name of the file ends with %s", name, strings.Join(results.Extensions(), ", "))
}
