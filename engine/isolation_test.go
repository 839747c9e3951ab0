package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// balance is what an account of the test below has, as a quad of its graph.
func balance(account, graph, n int) rdf.Quad {
	return rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/account/%d", account)), P: rdf.IRI("http://ex/balance"),
		O: rdf.Integer(int64(n)), G: rdf.IRI(fmt.Sprintf("http://ex/g%d", graph))}
}

// balances reads all accounts of a view.
func balances(ctx context.Context, v engine.View) (map[string]int, error) {
	out := map[string]int{}
	err := quadtest.Each(v.Quads(ctx, dataset.Pattern{}), func(q *rdf.RawQuad) error {
		n, err := strconv.Atoi(rdf.FromSurface(string(q.O)).Value())
		key := string(q.S) + string(q.G)
		if _, twice := out[key]; twice {
			return fmt.Errorf("%s has two balances", key)
		}
		out[key] = n
		return err
	})
	return out, err
}

// Transfers move between two graphs while readers sum over both, seals and
// compactions run, and some transactions fail: no reader ever sees a wrong sum, nor
// an account twice, and the state of a snapshot names its content.
func TestIsolation(t *testing.T) {
	const accounts, start = 8, 100
	transfers := longtest.Pick(40, 150)
	db := initDB(t, vfs.NewMem())
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		for i := range accounts {
			if err := tx.Insert(t.Context(), balance(i, 0, start), balance(i, 1, start)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var background, writers sync.WaitGroup
	var states sync.Map // name to balances
	for range 3 {
		background.Go(func() {
			for ctx.Err() == nil {
				s, err := db.Snapshot(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				got, err := balances(t.Context(), s.View)
				name := s.State()
				s.Close()
				if err != nil {
					t.Error(err)
					return
				}
				sum := 0
				for _, n := range got {
					sum += n
				}
				if sum != 2*accounts*start || len(got) != 2*accounts {
					t.Errorf("the sum is %d over %d accounts", sum, len(got))
					return
				}
				if old, ok := states.LoadOrStore(name, fmt.Sprint(got)); ok && old != fmt.Sprint(got) {
					t.Errorf("state %s has two contents", name)
					return
				}
			}
		})
	}
	background.Go(func() {
		err := db.Maintain(ctx, &engine.MaintainOptions{SealChanges: 30, Fanout: 3, Every: time.Millisecond})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	for w := range 4 {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			failed := errors.New("no")
			for range transfers {
				a, b, amount, fail := r.IntN(accounts), r.IntN(accounts), r.IntN(20), r.IntN(10) == 0
				_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
					v, err := tx.View(t.Context())
					if err != nil {
						return err
					}
					have, err := balances(t.Context(), v)
					if err != nil {
						return err
					}
					from, to := have[fmt.Sprintf("<http://ex/account/%d><http://ex/g0>", a)], have[fmt.Sprintf("<http://ex/account/%d><http://ex/g1>", b)]
					if err := tx.Delete(t.Context(), balance(a, 0, from), balance(b, 1, to)); err != nil {
						return err
					}
					if err := tx.Insert(t.Context(), balance(a, 0, from-amount), balance(b, 1, to+amount)); err != nil {
						return err
					}
					if fail {
						return failed
					}
					return nil
				})
				if err != nil && !errors.Is(err, failed) {
					t.Error(err)
					return
				}
			}
		})
	}
	writers.Wait()
	cancel()
	background.Wait()
}

// Many writers count up: each sees the previous one.
func TestManyWriters(t *testing.T) {
	const writers, each = 16, 25
	m := vfs.NewMem()
	initDB(t, m).Close()
	db := openDB(t, m)
	counter := func(n int) model.Quad {
		return model.Quad{"<http://ex/counter>", "<http://ex/value>", rdf.Integer(int64(n)).Surface(), ""}
	}
	write(t, db, model.Entry{Adds: []model.Quad{counter(0)}})
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
					v, err := tx.View(t.Context())
					if err != nil {
						return err
					}
					n := -1
					if err := quadtest.Each(v.Quads(t.Context(), dataset.Pattern{}), func(q *rdf.RawQuad) (err error) {
						n, err = strconv.Atoi(rdf.FromSurface(string(q.O)).Value())
						return err
					}); err != nil {
						return err
					}
					return change(t.Context(), tx, model.Entry{Dels: []model.Quad{counter(n)}, Adds: []model.Quad{counter(n + 1)}})
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := visible(t, snapshot(t, db)); len(got) != 1 || got[0] != counter(writers*each) {
		t.Errorf("got %v, want %d", got, writers*each)
	}
	// What readers saw is on disk: nothing is lost by a crash now.
	closeDB(t, db)
	if got := visible(t, snapshot(t, openDB(t, m.CrashClone(vfs.CrashOptions{})))); len(got) != 1 || got[0] != counter(writers*each) {
		t.Errorf("after a crash: %v", got)
	}
}
