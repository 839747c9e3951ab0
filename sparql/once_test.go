package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
	"github.com/rete-go/rete/sparql/results"
)

// answerHandle is what an answer or a text has in common once it has ended.
type answerHandle struct {
	open  func(t testing.TB) (handle any, end []func())                // each of end ends another one like it
	calls map[string]func(t testing.TB, handle any) (n int, err error) // n counts what was answered
	still map[string]string                                            // methods that answer on, and why
}

func integers(n int) memory.Dataset {
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.Integer(int64(i))})
	}
	return load(quads)
}

var answerHandles = map[string]answerHandle{
	"Rows": {
		open: func(t testing.TB) (any, []func()) {
			rows, err := sparql.Select(t.Context(), integers(5000), sparql.MustParse("SELECT ?o { ?s ?p ?o }"))
			if err != nil {
				t.Fatal(err)
			}
			return rows, []func(){
				func() { rows.Close() },
				func() { rows.Close(); rows.Close() },
				func() {
					for range rows.All() {
					}
				},
				func() {
					for range rows.All() {
						break
					}
				},
				func() { _ = rows.WriteTo(results.NewWriter(io.Discard, results.CSV)) },
			}
		},
		calls: map[string]func(testing.TB, any) (int, error){
			"All": func(_ testing.TB, h any) (n int, err error) {
				for _, err := range h.(*sparql.Rows).All() {
					if err != nil {
						return n, err
					}
					n++
				}
				return n, nil
			},
			"WriteTo": func(_ testing.TB, h any) (int, error) {
				return -1, h.(*sparql.Rows).WriteTo(results.NewWriter(io.Discard, results.JSON))
			},
		},
		still: map[string]string{"Vars": "known from the query", "Close": "may be called again"},
	},
	"Triples": {
		open: func(t testing.TB) (any, []func()) {
			triples, err := sparql.Construct(t.Context(), integers(5000), sparql.MustParse("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }"))
			if err != nil {
				t.Fatal(err)
			}
			return triples, endsOf(triples)
		},
		calls: map[string]func(testing.TB, any) (int, error){"All": allTriples},
		still: map[string]string{"Close": "may be called again"},
	},
	"Triples of DESCRIBE": {
		open: func(t testing.TB) (any, []func()) {
			triples, err := sparql.Describe(t.Context(), integers(5000), sparql.MustParse("DESCRIBE <x:s>"))
			if err != nil {
				t.Fatal(err)
			}
			return triples, endsOf(triples)
		},
		calls: map[string]func(testing.TB, any) (int, error){"All": allTriples},
		still: map[string]string{"Close": "may be called again"},
	},
}

func endsOf(triples *sparql.Triples) []func() {
	return []func(){
		func() { triples.Close() },
		func() {
			for range triples.All() {
			}
		},
		func() {
			for range triples.All() {
				break
			}
		},
	}
}

func allTriples(_ testing.TB, h any) (n int, err error) {
	for _, err := range h.(*sparql.Triples).All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// TestEndedAnswers calls every method of answers that have ended, in each way of ending.
func TestEndedAnswers(t *testing.T) {
	for name, a := range answerHandles {
		h, ends := a.open(t)
		ends[0]()
		for m := range reflect.TypeOf(h).Methods() {
			if a.calls[m.Name] == nil && a.still[m.Name] == "" {
				t.Errorf("%s.%s has no row here", name, m.Name)
			}
		}
		for k := range ends {
			for method, call := range a.calls {
				h, ends := a.open(t)
				ends[k]()
				for range 2 {
					if n, err := call(t, h); !errors.Is(err, sparql.ErrClosed) || n > 0 {
						t.Errorf("%s.%s after end %d: %d answers, %v", name, method, k, n, err)
					}
				}
			}
		}
		reflect.ValueOf(h).MethodByName("Close").Call(nil)
	}
	// The zero values have ended, or never began.
	if _, err := allTriples(t, new(sparql.Triples)); !errors.Is(err, sparql.ErrClosed) {
		t.Errorf("zero Triples: %v", err)
	}
	for _, err := range new(sparql.Rows).All() {
		if !errors.Is(err, sparql.ErrClosed) {
			t.Errorf("zero Rows: %v", err)
		}
	}
}

// TestClosedMeanwhile closes answers within and during their loop: what is left is the error.
func TestClosedMeanwhile(t *testing.T) {
	for name, a := range answerHandles {
		for method, call := range a.calls {
			for range 20 {
				h, _ := a.open(t)
				closing := h.(io.Closer)
				var beside sync.WaitGroup
				beside.Go(func() { closing.Close() })
				if n, err := call(t, h); !errors.Is(err, sparql.ErrClosed) && (err != nil || n >= 0 && n != 5000) {
					t.Errorf("%s.%s during Close: %d answers, %v", name, method, n, err)
				}
				beside.Wait()
			}
		}
	}
	h, _ := answerHandles["Rows"].open(t)
	n, ended := 0, error(nil)
	for _, err := range h.(*sparql.Rows).All() {
		if ended = err; err == nil {
			n++
		}
		h.(*sparql.Rows).Close()
	}
	if n >= 5000 || !errors.Is(ended, sparql.ErrClosed) {
		t.Errorf("closed in the loop: %d rows, %v", n, ended)
	}
	h, _ = answerHandles["Triples"].open(t)
	n = 0
	for _, err := range h.(*sparql.Triples).All() {
		ended = err
		n++
		h.(*sparql.Triples).Close()
	}
	if n != 2 || !errors.Is(ended, sparql.ErrClosed) {
		t.Errorf("closed in the loop: %d triples, %v", n, ended)
	}
	// Two loops at a time are one too many.
	h, _ = answerHandles["Rows"].open(t)
	for _, err := range h.(*sparql.Rows).All() {
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range h.(*sparql.Rows).All() {
			if !errors.Is(err, sparql.ErrClosed) {
				t.Errorf("the second loop: %v", err)
			}
		}
		break
	}
}

// TestZeroRow calls every method of a row of no answer, and of rows that were closed.
func TestZeroRow(t *testing.T) {
	rows, err := sparql.Select(t.Context(), integers(1), sparql.MustParse("SELECT ?o { ?s ?p ?o }"))
	if err != nil {
		t.Fatal(err)
	}
	var kept sparql.Row
	for row := range rows.All() {
		kept = row
	}
	for name, row := range map[string]sparql.Row{"zero": {}, "kept": kept} {
		v := reflect.ValueOf(row)
		for m := range v.Type().Methods() {
			var args []reflect.Value
			for i := 1; i < m.Type.NumIn(); i++ {
				args = append(args, reflect.Zero(m.Type.In(i)))
			}
			out := v.MethodByName(m.Name).Call(args) // and does not panic
			if _, refused := out[0].Interface().(error); name == "zero" && !out[0].IsZero() && !refused {
				t.Errorf("%s of the zero row: %v", m.Name, out)
			}
		}
	}
	var got string
	if err := kept.Scan(&got); got != "0" || err != nil {
		t.Errorf("a row that is kept: %q %v", got, err)
	}
}

// TestClosedTexts runs queries and updates that were closed.
func TestClosedTexts(t *testing.T) {
	ds, pool := integers(1), sparql.NewMemoryPool(1<<30)
	for _, text := range []string{"SELECT * { ?s ?p ?o }", "ASK {}", "CONSTRUCT WHERE { ?s ?p ?o }", "DESCRIBE <x:s>"} {
		q, err := sparql.ParseContext(t.Context(), text, nil, sparql.SharedMemory(pool))
		if err != nil {
			t.Fatal(err)
		}
		q.Close()
		q.Close()
		if err := sparql.WriteTo(t.Context(), io.Discard, map[bool]sparql.Format{true: sparql.NTriples, false: sparql.JSON}[text[0] == 'C' || text[0] == 'D'], ds, q); !errors.Is(err, sparql.ErrClosed) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"INSERT DATA { <x:s> <x:p> 2 }", "", "CLEAR ALL"} {
		u, err := sparql.ParseUpdateContext(context.Background(), text, nil, sparql.SharedMemory(pool))
		if err != nil {
			t.Fatal(err)
		}
		u.Close()
		u.Close()
		if _, err := sparql.Execute(t.Context(), ds.Begin(fmt.Sprintf("%032d", 1)), u); !errors.Is(err, sparql.ErrClosed) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held", pool.Used())
	}
}
