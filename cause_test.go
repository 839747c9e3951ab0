package rete_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/rdf"
)

var errCause = errors.New("the caller has hung up")

// endedContexts are contexts that have ended for a cause, by the error that they have themselves.
func endedContexts(t *testing.T) map[error]context.Context {
	canceled, cancel := context.WithCancelCause(t.Context())
	cancel(errCause)
	late, stop := context.WithDeadlineCause(t.Context(), time.Unix(1, 0), errCause)
	t.Cleanup(stop)
	return map[error]context.Context{context.Canceled: canceled, context.DeadlineExceeded: late}
}

// TestCauses: the error of a call whose context has ended matches the error of the context and
// the cause of its end. All methods of what is open are called.
func TestCauses(t *testing.T) {
	least := map[string]int{"rete.DB": 4, "engine.DB": 15, "rete.Snapshot": 4, "engine.Snapshot": 4, "engine.View": 4, "cursor": 1}
	for name, n := range least {
		for ended, ctx := range endedContexts(t) {
			h, _ := handles[name].open(t)
			found := 0
			for m := range reflect.TypeOf(h).Methods() {
				if m.Name == "Close" {
					continue
				}
				if _, err, _ := callMethod(ctx, h, m); causes(t, name+"."+m.Name, err, ended) {
					found++
				}
			}
			if found < n {
				t.Errorf("%s: %d methods end with the context, want %d", name, found, n)
			}
		}
	}
}

// causes checks an error of a context that has ended, and reports whether it is one.
func causes(t *testing.T, what string, err, ended error) bool {
	t.Helper()
	is, caused := errors.Is(err, ended), errors.Is(err, errCause)
	if is != caused {
		t.Errorf("%s: %v matches %v: %v, its cause: %v", what, err, ended, is, caused)
	}
	return is && caused
}

// TestCausesWhileRunning: also where the context ends in the middle of an answer, or inside a transaction.
func TestCausesWhileRunning(t *testing.T) {
	h, _ := openedDB(t)
	db := h.(*rete.DB)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	rows, err := db.Query(ctx, `SELECT * { ?s ?p ?o . ?a ?b ?c }`)
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range rows.All() {
		cancel(errCause)
	}
	if !causes(t, "rows", err, context.Canceled) {
		t.Errorf("rows: %v", err)
	}
	for name, change := range map[string]func(ctx context.Context, tx *rete.Tx) error{
		"insert": func(ctx context.Context, tx *rete.Tx) error {
			return tx.Insert(ctx, rdf.Quad{S: rdf.IRI("x:new"), P: rdf.IRI("x:p"), O: rdf.Integer(1)})
		},
		"update": func(ctx context.Context, tx *rete.Tx) error {
			return tx.Update(ctx, `DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }`)
		},
		"match": func(ctx context.Context, tx *rete.Tx) error {
			for _, err := range tx.Match(ctx, rdf.Term{}, rdf.Term{}, rdf.Term{}, rdf.Term{}) {
				return err
			}
			return nil
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := db.Write(ctx, func(tx *rete.Tx) error {
			cancel(errCause)
			return change(ctx, tx)
		})
		if !causes(t, name, err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if errors.Is(err, rete.ErrUnknownOutcome) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
