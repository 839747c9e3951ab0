package rete_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// A handle is something public that ends. Every method of it that gives an error is called
// after the end, with arguments that are good before it, so that a new method is tested as
// soon as it is there: it fails with the one sentinel, unless still says why it answers on.
type handle struct {
	open  func(t *testing.T) (h any, end func())
	still map[string]string
	// alone: it belongs to one goroutine, and so does its end.
	alone bool
}

var closeAgain = map[string]string{"Close": "may be called again"}

// with returns closeAgain and more reasons.
func with(reasons ...string) map[string]string {
	all := map[string]string{"Close": "may be called again"}
	for i := 0; i < len(reasons); i += 2 {
		all[reasons[i]] = reasons[i+1]
	}
	return all
}

var handles = map[string]handle{
	"rete.DB":       {open: openedDB, still: with("Warmed", "waits for the end of what Close ends")},
	"engine.DB":     {open: func(t *testing.T) (any, func()) { db, end := openedDB(t); return db.(*rete.DB).Engine(), end }, still: with("Warmed", "waits for the end of what Close ends")},
	"rete.Snapshot": {open: openedSnapshot, still: closeAgain},
	"engine.Snapshot": {open: func(t *testing.T) (any, func()) {
		s, end := openedSnapshot(t)
		return s.(*rete.Snapshot).Engine(), end
	}, still: closeAgain},
	"engine.View": {open: func(t *testing.T) (any, func()) {
		s, end := openedSnapshot(t)
		return s.(*rete.Snapshot).Engine().View, end
	}},
	"cursor": {open: func(t *testing.T) (any, func()) {
		s, _ := openedSnapshot(t)
		c := openedCursor(t, s)
		return c, func() { c.Close() }
	}, still: closeAgain},
	"cursor of a closed snapshot": {open: func(t *testing.T) (any, func()) {
		s, end := openedSnapshot(t)
		return openedCursor(t, s), end
	}, still: closeAgain},
	"trie": {open: func(t *testing.T) (any, func()) {
		s, _ := openedSnapshot(t)
		tr := openedTrie(t, s)
		return tr, func() { tr.Close() }
	}, still: closeAgain},
	"trie of a closed snapshot": {open: func(t *testing.T) (any, func()) {
		s, end := openedSnapshot(t)
		return openedTrie(t, s), end
	}, still: closeAgain},
	"rete.Tx":   {open: endedTx(func(tx *rete.Tx) any { return tx }), alone: true},
	"engine.Tx": {open: endedEngineTx, alone: true},
	"view of a transaction": {open: endedTx(func(tx *rete.Tx) any {
		ds, _ := tx.Dataset(context.Background())
		return ds
	}), alone: true},
	"sparql.Rows": {open: func(t *testing.T) (any, func()) {
		s, _ := openedSnapshot(t)
		rows, err := s.(*rete.Snapshot).Select(t.Context(), selectAll)
		must(t, err)
		return rows, func() { rows.Close() }
	}, still: closeAgain},
	"sparql.Rows of a closed snapshot": {open: func(t *testing.T) (any, func()) {
		s, end := openedSnapshot(t)
		rows, err := s.(*rete.Snapshot).Select(t.Context(), selectAll)
		must(t, err)
		return rows, end
	}, still: closeAgain},
	"sparql.Triples": {open: func(t *testing.T) (any, func()) {
		s, _ := openedSnapshot(t)
		triples, err := s.(*rete.Snapshot).Construct(t.Context(), constructAll)
		must(t, err)
		return triples, func() { triples.Close() }
	}, still: closeAgain},
	"segment.Segment": {open: openedSegment, still: closeAgain},
	"segment.Scan": {open: func(t *testing.T) (any, func()) {
		s, end := openedSegment(t)
		sc, err := s.(*segment.Segment).Scan(t.Context(), 0, 0)
		must(t, err)
		return sc, end
	}},
	"segment.TermScan": {open: func(t *testing.T) (any, func()) {
		s, end := openedSegment(t)
		return s.(*segment.Segment).AllTerms(segment.Shared), end
	}},
	"segment.Values": {open: func(t *testing.T) (any, func()) {
		s, end := openedSegment(t)
		v, err := s.(*segment.Segment).Values(t.Context())
		must(t, err)
		if v == nil {
			t.Fatal("no value index")
		}
		return v, end
	}},
	"segment.Writer": {open: func(t *testing.T) (any, func()) {
		w := segment.NewWriter(nil)
		return w, w.Abort
	}, alone: true},
	"blob in memory": {open: func(*testing.T) (any, func()) {
		o := blob.Bytes("b", []byte("abcdef"))
		return o, func() { o.Close() }
	}, still: closeAgain},
	"blob in a file": {open: func(t *testing.T) (any, func()) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("abcdef"), 0o600))
		mux, err := blob.NewMux(dir, blob.MuxOptions{})
		must(t, err)
		o, err := mux.Open(t.Context(), "b")
		must(t, err)
		return o, func() { o.Close() }
	}, still: closeAgain},
	"blob on a web server": {open: func(t *testing.T) (any, func()) {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "b", time.Unix(1e9, 0), strings.NewReader("abcdef"))
		}))
		t.Cleanup(srv.Close)
		mux, err := blob.NewMux("", blob.MuxOptions{})
		must(t, err)
		o, err := mux.Open(t.Context(), srv.URL+"/b")
		must(t, err)
		return o, func() { o.Close() }
	}, still: closeAgain},
	"document.Document": {open: func(t *testing.T) (any, func()) {
		d, err := document.Read(t.Context(), &document.Source{ReadCloser: io.NopCloser(strings.NewReader("<x:s> <x:p> 1 .")), Name: "d", Format: rdfio.Turtle}, document.Limits{})
		must(t, err)
		return d, func() { d.Close() }
	}, still: closeAgain, alone: true},
	"rdfio.File": {open: func(t *testing.T) (any, func()) {
		name := filepath.Join(t.TempDir(), "a.nt")
		must(t, os.WriteFile(name, []byte("<x:s> <x:p> <x:o> .\n"), 0o600))
		f, err := rdfio.OpenFile(name, rdfio.NTriples, rdf.Options{})
		must(t, err)
		return f, func() { f.Close() }
	}, still: closeAgain, alone: true},
}

var (
	selectAll    = sparql.MustParse("SELECT * { ?s ?p ?o }")
	constructAll = sparql.MustParse("CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }")
	ask          = sparql.MustParse("ASK {}")
	describe     = sparql.MustParse("DESCRIBE <x:s1>")
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openedDB makes a database of two entries and some changes in the journal.
func openedDB(t *testing.T) (any, func()) {
	opt := &rete.Options{FS: vfs.NewMem(), CacheBytes: 4 << 20}
	db, err := rete.Create(t.Context(), "/m.rete-manifest.json", opt)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	for k := range 2 {
		var text strings.Builder
		for i := range 300 {
			fmt.Fprintf(&text, "<x:s%d> <x:p> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> <x:g%d> .\n<x:s%d> <x:p> <x:o%d> .\n", i, i, k, i, k)
		}
		_, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: "d.nq", Reader: strings.NewReader(text.String())}}}, nil)
		must(t, err)
	}
	_, err = db.Write(t.Context(), func(tx *rete.Tx) error {
		return tx.Insert(t.Context(), rdf.Quad{S: rdf.IRI("x:s1"), P: rdf.IRI("x:p"), O: rdf.String("in the journal")})
	})
	must(t, err)
	return db, func() { db.Close() }
}

func openedSnapshot(t *testing.T) (any, func()) {
	db, _ := openedDB(t)
	s, err := db.(*rete.DB).Snapshot(t.Context())
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s, func() { s.Close() }
}

func openedCursor(t *testing.T, s any) dataset.Cursor {
	c, err := s.(*rete.Snapshot).Engine().Scan(t.Context(), dataset.Pattern{}, 0, nil)
	must(t, err)
	return c
}

func openedTrie(t *testing.T, s any) dataset.Trie {
	p := make([]dataset.ID, 1)
	must(t, s.(*rete.Snapshot).Engine().Lookup(t.Context(), []rdf.Term{rdf.IRI("x:p")}, p))
	tr, err := s.(*rete.Snapshot).Engine().Trie(t.Context(), dataset.Pattern{P: p[0]}, s.(*rete.Snapshot).Engine().Orders(dataset.Pattern{P: p[0]})[0])
	must(t, err)
	for range 2 {
		_, err = tr.Open(t.Context())
		must(t, err)
	}
	return tr
}

func endedTx(of func(tx *rete.Tx) any) func(t *testing.T) (any, func()) {
	return func(t *testing.T) (any, func()) {
		db, _ := openedDB(t)
		var kept any
		_, err := db.(*rete.DB).Write(t.Context(), func(tx *rete.Tx) error { kept = of(tx); return nil })
		must(t, err)
		return kept, func() {}
	}
}

func endedEngineTx(t *testing.T) (any, func()) {
	db, _ := openedDB(t)
	var kept *engine.Tx
	_, err := db.(*rete.DB).Engine().Write(t.Context(), nil, func(tx *engine.Tx) error { kept = tx; return nil })
	must(t, err)
	return kept, func() {}
}

// segmentBytes is a segment with a value index.
var segmentBytes = sync.OnceValue(func() []byte {
	b := segment.NewBuilder(nil)
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "<x:s%d> <x:p> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> <x:g%d> .\n<x:s%d> <x:p> <x:o> .\n", i, i, i%3, i)
	}
	if err := b.AddNQuads(context.Background(), strings.NewReader(text.String()), rdf.Options{}, false); err != nil {
		panic(err)
	}
	var out strings.Builder
	if _, err := b.WriteTo(context.Background(), &out); err != nil {
		panic(err)
	}
	return []byte(out.String())
})

func openedSegment(t *testing.T) (any, func()) {
	o := blob.Bytes("s.rete", segmentBytes())
	pin, _, err := segment.PinOf(t.Context(), o)
	must(t, err)
	s, err := segment.Open(t.Context(), o, &segment.Options{Pin: pin})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s, func() { s.Close() }
}

// argumentOf returns a good argument of a type.
func argumentOf(ctx context.Context, method string, typ reflect.Type) reflect.Value {
	for _, v := range []any{
		selectAll, sparql.JSON, results.NewWriter(io.Discard, results.JSON), sparql.MustParseUpdate(""),
		[]rdf.Quad{{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}}, []rdf.Term{rdf.IRI("x:s1")},
		[]engine.Step{{Adds: &engine.Source{Name: "more.nq", Reader: strings.NewReader("<x:more> <x:p> <x:o> .\n")}}},
		func(*rdf.RawQuad) error { return nil }, func(bool, *rdf.RawQuad) error { return nil },
		func(*rete.Tx) error { return nil }, func(*engine.Tx) error { return nil },
		new(dataset.Terms), new(dataset.Batch), new(rdf.RawQuad), sparql.NewMemoryPool(1),
		func(dataset.ID, *dataset.Terms, int, int) error { return nil }, func(uint32, *dataset.Terms, int, int) error { return nil },
		func([]uint32) error { return nil }, func() error { return nil },
		&engine.MaintainOptions{Every: time.Microsecond, SealChanges: 1}, [][]byte{[]byte("<x:s1>")}, []byte("<x:s1>"),
		&manifest.Manifest{Generation: 1}, []blob.Range{{Off: 0, Len: 6}}, dataset.IDRange{Lo: 1, Hi: 2}, dataset.Class{Kind: dataset.IRIs},
	} {
		if reflect.TypeOf(v) == typ {
			return reflect.ValueOf(v)
		}
	}
	switch {
	case typ == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(ctx)
	case typ == reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case typ == reflect.TypeFor[results.Writer]():
		return reflect.ValueOf(results.NewWriter(io.Discard, results.JSON))
	case typ == reflect.TypeFor[[]dataset.ID](), typ == reflect.TypeFor[[]uint32]():
		return reflect.MakeSlice(typ, 1, 1)
	case typ == reflect.TypeFor[string]() && method == "Query":
		return reflect.ValueOf(selectAll.Text())
	case typ == reflect.TypeFor[int64](): // a generation
		return reflect.ValueOf(int64(1))
	case typ == reflect.TypeFor[func(s *rete.Snapshot) error]():
		return reflect.ValueOf(func(*rete.Snapshot) error { return nil })
	}
	return reflect.Zero(typ)
}

// formOf gives the methods that are for one form of query theirs.
var formOf = map[string]*sparql.Query{"Ask": ask, "Construct": constructAll, "Describe": describe}

// callMethod calls a method and returns its error; found is false if it gives none. Answers
// that are read in a loop are read, and n says how many there were.
func callMethod(ctx context.Context, h any, m reflect.Method) (n int, err error, found bool) {
	v := reflect.ValueOf(h).MethodByName(m.Name)
	var args []reflect.Value
	last := v.Type().NumIn()
	if v.Type().IsVariadic() {
		last--
	}
	for i := range last {
		typ := v.Type().In(i)
		a := argumentOf(ctx, m.Name, typ)
		if q := formOf[m.Name]; q != nil && typ == reflect.TypeOf(q) {
			a = reflect.ValueOf(q)
		}
		args = append(args, a)
	}
	out := v.Call(args)
	for i, o := range out {
		if _, ok := o.Interface().(error); ok && v.Type().Out(i) != reflect.TypeFor[error]() {
			continue // what is an error by chance
		}
		switch o := o.Interface().(type) {
		case iter.Seq2[sparql.Row, error]:
			for _, err := range o {
				if err != nil {
					return n, err, true
				}
				n++
			}
			return n, nil, true
		case iter.Seq2[rdf.Quad, error]:
			for _, err := range o {
				if err != nil {
					return n, err, true
				}
				n++
			}
			return n, nil, true
		case iter.Seq2[*rdf.RawQuad, error]:
			for _, err := range o {
				if err != nil {
					return n, err, true
				}
				n++
			}
			return n, nil, true
		case iter.Seq2[engine.Change, error]:
			for _, err := range o {
				if err != nil {
					return n, err, true
				}
				n++
			}
			return n, nil, true
		case *sparql.Rows:
			if o != nil {
				for _, err = range o.All() {
					if err != nil {
						return n, err, true
					}
					n++
				}
			}
		case *sparql.Triples:
			if o != nil {
				for _, err = range o.All() {
					if err != nil {
						return n, err, true
					}
					n++
				}
			}
		case io.Closer: // of what is open then
			if v := reflect.ValueOf(o); v.Kind() == reflect.Pointer && !v.IsNil() {
				defer o.Close()
			}
		case error:
			return n, o, true
		}
	}
	n2 := v.Type().NumOut()
	return n, nil, n2 > 0 && v.Type().Out(n2-1) == reflect.TypeFor[error]()
}

// TestUseAfterTheEnd calls every method of every handle after its end.
func TestUseAfterTheEnd(t *testing.T) {
	for _, err := range []error{rete.ErrClosed, rete.ErrTxEnded, engine.ErrClosed, engine.ErrTxEnded, sparql.ErrClosed, segment.ErrClosed, blob.ErrClosed} {
		if !errors.Is(err, closed.Err) {
			t.Errorf("%v is another sentinel", err)
		}
	}
	for name, hd := range handles {
		t.Run(name, func(t *testing.T) {
			h, end := hd.open(t)
			end()
			end()
			tested := 0
			for m := range reflect.TypeOf(h).Methods() {
				_, err, found := callMethod(t.Context(), h, m)
				switch reason := hd.still[m.Name]; {
				case !found: // it must not panic, and has not
				case reason != "" && err != nil && !errors.Is(err, closed.Err):
					t.Errorf("%s: %v, and it %s", m.Name, err, reason)
				case reason == "" && !errors.Is(err, closed.Err):
					t.Errorf("%s: %v", m.Name, err)
				case reason == "" && (errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "canceled")):
					t.Errorf("%s speaks of contexts: %v", m.Name, err)
				case reason == "":
					tested++
				}
			}
			if tested == 0 {
				t.Error("no method was tested")
			}
		})
	}
}

// TestEndedWriters writes to documents and answers that have ended.
func TestEndedWriters(t *testing.T) {
	quad := rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("http://x/p"), O: rdf.IRI("x:o")}.Raw()
	for _, f := range []rdfio.Format{rdfio.NTriples, rdfio.NQuads, rdfio.Turtle, rdfio.TriG, rdfio.RDFXML, rdfio.JSONLD} {
		var out strings.Builder
		w, err := rdfio.NewWriter(&out, f, nil)
		must(t, err)
		must(t, w.WriteQuad(&quad))
		must(t, w.Close())
		whole := out.Len()
		err = w.WriteQuad(&quad)
		if again := w.Close(); !errors.Is(err, closed.Err) || again != nil || out.Len() != whole {
			t.Errorf("%v: %v, %v, %d bytes after %d", f, err, again, out.Len(), whole)
		}
	}
	row := [][]byte{[]byte("<x:a>")}
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.HTML, results.Text, results.Lines, results.Markdown} {
		for k := range 3 {
			var out strings.Builder
			w := results.NewWriter(&out, f)
			must(t, w.Head([]string{"x"}))
			must(t, w.Row(row))
			must(t, w.Close())
			must(t, w.Close())
			whole := out.Len()
			err := []func() error{func() error { return w.Row(row) }, func() error { return w.Head(nil) }, func() error { return w.Boolean(true) }}[k]()
			if !errors.Is(err, closed.Err) || !errors.Is(err, results.ErrState) || out.Len() != whole {
				t.Errorf("%v, %d: %v, %d bytes after %d", f, k, err, out.Len(), whole)
			}
		}
	}
}

// TestEndBeside ends handles while their methods are called: each gives its answer, or the
// sentinel.
func TestEndBeside(t *testing.T) {
	for name, hd := range handles {
		if hd.alone {
			continue
		}
		t.Run(name, func(t *testing.T) {
			first, _ := hd.open(t)
			for m := range reflect.TypeOf(first).Methods() {
				if hd.still[m.Name] != "" || m.Name == "Maintain" { // which goes on until the end
					continue
				}
				h, _ := hd.open(t)
				want, wantErr, found := callMethod(t.Context(), h, m)
				if !found {
					continue
				}
				for round := range longtest.Pick(1, 8) {
					h, end := hd.open(t)
					var beside sync.WaitGroup
					beside.Go(func() {
						time.Sleep(time.Duration(round) * 30 * time.Microsecond)
						end()
					})
					got, err, _ := callMethod(t.Context(), h, m)
					switch {
					case errors.Is(err, closed.Err) && !strings.Contains(err.Error(), "canceled"):
					case fmt.Sprint(err) != fmt.Sprint(wantErr) || got != want:
						t.Errorf("%s: %d answers, %v; without a Close %d, %v", m.Name, got, err, want, wantErr)
					}
					beside.Wait()
				}
			}
		})
	}
}

// TestClosedSnapshot queries a snapshot after its end, when everything is in the cache and
// when nothing is, while another snapshot of the same state is open.
func TestClosedSnapshot(t *testing.T) {
	for _, warm := range []bool{false, true} {
		db, _ := openedDB(t)
		s, err := db.(*rete.DB).Snapshot(t.Context())
		must(t, err)
		other, err := db.(*rete.DB).Snapshot(t.Context())
		must(t, err)
		defer other.Close()
		count := func(s *rete.Snapshot, text string) (n int, err error) {
			rows, err := s.Select(t.Context(), sparql.MustParse(text))
			if err != nil {
				return 0, err
			}
			for _, err := range rows.All() {
				if err != nil {
					return n, err
				}
				n++
			}
			return n, nil
		}
		texts := []string{"SELECT * { ?s ?p ?o }", "SELECT (1 AS ?x) {}", "SELECT * { VALUES ?x { 1 2 } }", "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"}
		if warm {
			for _, text := range texts {
				_, err := count(s, text)
				must(t, err)
			}
		}
		s.Close()
		for _, text := range texts {
			if n, err := count(s, text); !errors.Is(err, rete.ErrClosed) || n > 0 {
				t.Errorf("%s, warm %v: %d rows, %v", text, warm, n, err)
			}
			if n, err := count(other, text); err != nil || n == 0 {
				t.Errorf("%s on another snapshot: %d rows, %v", text, n, err)
			}
		}
	}
}
