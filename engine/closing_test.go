package engine_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// TestClosedMethodsAreAll: a method that takes a context is in closedMethods.
func TestClosedMethodsAreAll(t *testing.T) {
	for m := range reflect.TypeFor[*engine.DB]().Methods() {
		takes := m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[context.Context]()
		// Warmed waits for the end of what Close ends.
		if takes && m.Name != "Warmed" && closedMethods[m.Name] == nil {
			t.Errorf("closedMethods has no %s", m.Name)
		}
	}
}

// endsWell reports whether a method may end like this during a Close.
func endsWell(err error) bool {
	return err == nil || errors.Is(err, engine.ErrClosed) && !errors.Is(err, context.Canceled) ||
		errors.Is(err, engine.ErrNothingToSeal) || errors.Is(err, engine.ErrCompact) || errors.Is(err, engine.ErrConflict)
}

// TestClosedMeanwhile closes a database while its methods are called: each works, or
// says that it is closed.
func TestClosedMeanwhile(t *testing.T) {
	for range 20 {
		db := initDB(t, vfs.NewMem())
		if err := closedMethods["Write"](t, db); err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		for name, call := range closedMethods {
			calls.Go(func() {
				for range 3 {
					if err := call(t, db); !endsWell(err) {
						t.Errorf("%s: %v", name, err)
					}
				}
			})
		}
		closeDB(t, db)
		calls.Wait()
	}
}

// TestClosedInCall stops each method in its k-th call of the file system, for every k in
// the long form, closes the database, and lets the method go on: it works, or says that
// the database is closed, and nothing is lost.
func TestClosedInCall(t *testing.T) {
	for name := range closedMethods {
		t.Run(name, func(t *testing.T) {
			step := longtest.Pick(7, 1)
			for k := 1 + len(name)%step; k < 100 && closeInCall(t, name, k); k += step {
				// Maintain makes calls until it is closed.
			}
		})
	}
}

// closeInCall reports whether the method made k calls.
func closeInCall(t *testing.T, name string, k int) bool {
	mem := vfs.NewMem()
	var calls atomic.Int64
	calls.Store(-1 << 40)
	reached, held := make(chan struct{}), make(chan struct{})
	db := initDB(t, vfs.NewFault(mem, func(vfs.Call) error {
		if calls.Add(1) == int64(k) {
			close(reached)
			<-held
		}
		return nil
	}))
	for i := range 3 {
		addDB(t, db, engine.Step{Adds: doc(fmt.Sprintf("<x:a> <x:b> <x:%d> .\n", i)), Dels: doc(fmt.Sprintf("<x:a> <x:b> <x:%d> .\n", i-1))})
	}
	if err := closedMethods["Write"](t, db); err != nil {
		t.Fatal(err)
	}
	want := visible(t, snapshot(t, openDB(t, mem)))

	calls.Store(0)
	ended, closed := make(chan error, 1), make(chan error, 1)
	go func() { ended <- closedMethods[name](t, db) }()
	made := true
	select {
	case <-reached:
	case err := <-ended:
		made = false
		ended <- err
	}
	excluded := db.Excludes()
	go func() { closed <- db.Close() }()
	for made && !excluded && !db.Ended() && len(closed) == 0 {
		runtime.Gosched() // Close does not wait for the method, though for what it reads
	}
	close(held)
	if err := <-ended; !endsWell(err) {
		t.Errorf("closed in call %d: %v", k, err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close in call %d: %v", k, err)
	}
	got := map[model.Quad]bool{}
	for _, q := range visible(t, snapshot(t, openDB(t, mem))) {
		got[q] = true
	}
	for _, q := range want {
		if name != "Revert" && !got[q] {
			t.Errorf("closed in call %d: %v is lost", k, q)
		}
	}
	return made
}
