package sparql_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// faultyTx is a transaction of which the k-th call fails, or the k-th call of a
// dataset that it gives.
type faultyTx struct {
	memory.Tx
	f *faulty
}

func (t *faultyTx) Dataset(ctx context.Context) (dataset.Dataset, error) {
	if err := t.f.step(); err != nil {
		return nil, err
	}
	t.f.Dataset = t.Commit()
	return t.f, nil
}

func (t *faultyTx) Insert(ctx context.Context, quads ...rdf.Quad) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.Tx.Insert(ctx, quads...)
}

func (t *faultyTx) Delete(ctx context.Context, quads ...rdf.Quad) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.Tx.Delete(ctx, quads...)
}

func (t *faultyTx) Clear(ctx context.Context) error {
	if err := t.f.step(); err != nil {
		return err
	}
	return t.Tx.Clear(ctx)
}

// faultUpdates have every operation, those that can be silent so.
var faultUpdates = []string{
	"INSERT DATA { :a :p 1 GRAPH :g { _:x :p 2 } } ; DELETE DATA { :a :p 2 }",
	"DELETE { ?s :p ?o } INSERT { ?s :q ?o . GRAPH ?s { _:k :r ?n } } WHERE { ?s :p ?o OPTIONAL { ?s :q ?q } BIND(STRLEN(STR(?o)) AS ?n) FILTER(?n > 0) }",
	"WITH :g DELETE { ?s ?p ?o } USING :h USING NAMED :g WHERE { ?s ?p ?o GRAPH ?g { ?s ?q ?r } }",
	"DELETE WHERE { GRAPH ?g { ?s ?p ?o } }",
	"CLEAR SILENT DEFAULT ; CLEAR SILENT GRAPH :g ; DROP SILENT NAMED",
	"DROP SILENT ALL",
	"CREATE SILENT GRAPH :g ; CREATE SILENT GRAPH :new",
	"ADD SILENT :g TO :h ; COPY SILENT :h TO DEFAULT ; MOVE SILENT :g TO :new",
	"LOAD SILENT <http://ex/doc> ; LOAD SILENT <http://ex/doc> INTO GRAPH :g",
}

const faultData = ":a :p 1 , 2 ; :q :b . :b :p 'x' . :g { :a :p 1 . :c :q 2 } :h { :a :p 1 . :a :q 3 }"

// TestUpdateFaults fails every call of the transaction and its datasets in turn:
// that is an error, and SILENT does not forgive it.
func TestUpdateFaults(t *testing.T) {
	docs := sparql.WithLoad(opener(map[string]string{"http://ex/doc": "<x> <p> 1 ."}), document.Limits{})
	data := load(parse(t, "trig", faultData, exBase))
	for _, text := range faultUpdates {
		u := parseUpdate(t, text)
		for k := 1; ; k++ {
			f := &faulty{left: k, err: func() error { return errDamage }}
			_, err := sparql.Execute(t.Context(), &faultyTx{data.Begin("1"), f}, u, docs)
			if f.left > 0 { // that many calls there are not
				if err != nil {
					t.Errorf("nothing fails: %v\n%s", err, text)
				}
				if k < 3 && text != "DROP SILENT ALL" {
					t.Errorf("only %d calls: %s", k-1, text)
				}
				break
			}
			var oe *sparql.OperationError
			if !errors.Is(err, errDamage) || !errors.As(err, &oe) {
				t.Errorf("call %d fails: error %v\n%s", k, err, text)
				break
			}
		}
	}
}

// TestUpdateCancel cancels at every call in turn: the update ends with the error of
// the context, and SILENT does not forgive it.
func TestUpdateCancel(t *testing.T) {
	docs := sparql.WithLoad(opener(map[string]string{"http://ex/doc": "<x> <p> 1 ."}), document.Limits{})
	data := load(parse(t, "trig", faultData, exBase))
	for _, text := range faultUpdates {
		u := parseUpdate(t, text)
		for k := 1; ; k++ {
			ctx, cancel := context.WithCancel(t.Context())
			f := &faulty{left: k, err: func() error { cancel(); return nil }}
			_, err := sparql.Execute(ctx, &faultyTx{data.Begin("1"), f}, u, docs)
			cancel()
			if f.left > 0 {
				break
			}
			// The last calls may have been all that was left to do.
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled at call %d: error %v\n%s", k, err, text)
				break
			}
			if err == nil && k == 1 {
				t.Errorf("cancelled at the first call: no error\n%s", text)
			}
		}
	}
}
