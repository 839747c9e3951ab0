package sparql_test

import (
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
	"github.com/rete-go/rete/sparql/results"
	"github.com/rete-go/rete/sparql/value"
)

// TestCloseEndsWhatRuns: Close ends a query that has not delivered a row and would not for hours,
// in whatever way its answer is read.
func TestCloseEndsWhatRuns(t *testing.T) {
	ds := integers(1000)
	const endless = " { ?a ?p ?b . ?c ?p ?d . ?e ?p ?f . ?g ?p ?h FILTER(<x:f>(?b + ?d + ?f + ?h) < 0) }"
	for name, read := range map[string]func(opt sparql.Option) (end func() error, read func() error){
		"Rows": func(opt sparql.Option) (func() error, func() error) {
			rows := selectRows(t, ds, "SELECT (COUNT(*) AS ?n)"+endless, opt)
			return rows.Close, func() error {
				for _, err := range rows.All() {
					return err
				}
				return nil
			}
		},
		"WriteTo": func(opt sparql.Option) (func() error, func() error) {
			rows := selectRows(t, ds, "SELECT *"+endless, opt)
			return rows.Close, func() error { return rows.WriteTo(results.NewWriter(io.Discard, results.CSV)) }
		},
		"Triples": func(opt sparql.Option) (func() error, func() error) {
			triples, err := sparql.Construct(t.Context(), ds, sparql.MustParse("CONSTRUCT { ?a ?p ?b }"+endless), opt)
			if err != nil {
				t.Fatal(err)
			}
			return triples.Close, func() error {
				for _, err := range triples.All() {
					return err
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			running := make(chan struct{})
			began := sync.OnceFunc(func() { close(running) })
			end, read := read(sparql.WithFunction("x:f", func(_ *value.Call, args []value.Value) (value.Value, bool) {
				began()
				return args[0], true
			}))
			ended := make(chan error)
			go func() { ended <- read() }()
			<-running
			if err := end(); err != nil {
				t.Error(err)
			}
			if err := <-ended; !errors.Is(err, sparql.ErrClosed) {
				t.Errorf("got %v, want that it was closed", err)
			}
		})
	}
}

func selectRows(t *testing.T, ds memory.Dataset, text string, opt sparql.Option) *sparql.Rows {
	t.Helper()
	rows, err := sparql.Select(t.Context(), ds, sparql.MustParse(text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
