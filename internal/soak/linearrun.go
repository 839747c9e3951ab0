package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/server"
	"github.com/rete-go/rete/sparql"
)

// linearOptions are the choices of the histories.
type linearOptions struct {
	*common
	clients int
	lives   int           // of each database: one in this process, one of a server that is killed
	life    time.Duration // of each
}

// linearResult counts operations.
type linearResult struct{ Reads, Writes, Unknown, Refused, Seals, Compacts, Lives int64 }

func (r *linearResult) String() string {
	return fmt.Sprintf("%d lives, %d reads, %d writes, %d without an answer, %d refused, %d seals, %d compactions: linearizable",
		r.Lives, r.Reads, r.Writes, r.Unknown, r.Refused, r.Seals, r.Compacts)
}

// linear records histories and checks them.
type linear struct {
	*linearOptions
	r      *rand.Rand
	value  atomic.Int64
	mu     sync.Mutex // guards the rest
	result linearResult
	err    error
}

// door is a way into a database.
type door interface {
	read(ctx context.Context) (registerState, error)
	// write carries an operation out; one of linearTx returns what it saw.
	write(ctx context.Context, op linearOp) (linearOut, error)
}

// errNothing is that of an operation which did not happen, as is known.
var errNothing = errors.New("nothing happened")

// errUnknown is that of an operation of which nobody knows whether it happened.
var errUnknown = errors.New("it may have happened")

// linearize has clients read and write registers at the same time, through servers and the
// Go API, across seals, compactions, restarts and kills, and checks that everything
// has one order: reads see all writes that ended before they began, and none by half.
func linearize(ctx context.Context, o *linearOptions) (*linearResult, error) {
	l := &linear{linearOptions: o, r: newRand(o.seed)}
	for name, live := range map[string]func(ctx context.Context, manifest string, h *history) error{
		"embedded": l.embedded, "killed": l.killed,
	} {
		manifest := filepath.Join(o.dir, name+".rete-manifest.json")
		if err := l.init(ctx, manifest); err != nil {
			return nil, err
		}
		var first registerState
		for range o.lives {
			h := newHistory(first)
			err := live(ctx, manifest, h)
			if err == nil {
				err = l.err
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			// What the restart left is known: the next history begins with it.
			h.end()
			call := h.now()
			if first, err = readRegisters(ctx, manifest); err != nil {
				return nil, err
			}
			h.add(o.clients, call, linearOp{}, linearOut{read: true, seen: first})
			if err := h.check(); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			l.result.Lives++
		}
	}
	fmt.Fprintf(o.out, "linear: %s\n", &l.result)
	return &l.result, nil
}

func (l *linear) init(ctx context.Context, manifest string) error {
	db, err := rete.Create(ctx, manifest, nil)
	if err != nil {
		return err
	}
	u, err := sparql.ParseUpdate(linearSeed(), nil)
	if err == nil {
		_, err = db.Execute(ctx, u)
	}
	return errors.Join(err, db.Close())
}

func readRegisters(ctx context.Context, manifest string) (registerState, error) {
	db, err := rete.Open(ctx, manifest, nil)
	if err != nil {
		return registerState{}, err
	}
	defer db.Close()
	return apiDoor{db}.read(ctx)
}

// embedded is a life of a database in this process: half of the clients come over HTTP.
// It is closed under their operations.
func (l *linear) embedded(ctx context.Context, manifest string, h *history) error {
	db, err := rete.Open(ctx, manifest, &rete.Options{Writer: true})
	if err != nil {
		return err
	}
	handler, err := server.New(server.Database(db), &server.Options{Local: true})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	srv := httptest.NewServer(handler)
	defer srv.Close()
	c := newClient(srv.URL)
	defer c.close()
	doors := []door{httpDoor{c}, apiDoor{db}}
	clients := l.start(ctx, h, doors, func(ctx context.Context, what string) error {
		if what == "seal" {
			_, err := db.Engine().Seal(ctx, nil)
			return err
		}
		_, err := db.Engine().Compact(ctx, nil)
		return err
	})
	pause(ctx, l.life)
	for h.count() < leastLinear && ctx.Err() == nil && !l.failed() { // on a slow machine
		pause(ctx, 5*time.Millisecond)
	}
	err = db.Close()
	clients()
	return err
}

// killed is a life of a server, which is killed under the operations of its clients.
func (l *linear) killed(ctx context.Context, manifest string, h *history) error {
	p, err := serve(ctx, l.rete, manifest, "--seal-changes", "100", "--fanout", "3")
	if err != nil {
		return err
	}
	clients := l.start(ctx, h, []door{httpDoor{p.client}}, p.client.tend)
	pause(ctx, time.Duration(float64(l.life)*l.r.Float64()))
	p.kill()
	clients()
	return nil
}

// start starts the clients, each with one of the doors, and one that seals and compacts.
// They end when their database has; wait waits for that.
func (l *linear) start(ctx context.Context, h *history, doors []door, tend func(context.Context, string) error) (wait func()) {
	var w sync.WaitGroup
	for i := range l.clients {
		r := rand.New(rand.NewPCG(l.r.Uint64(), uint64(i)))
		w.Go(func() { l.client(ctx, h, i, doors[i%len(doors)], r) })
	}
	tending, stop := context.WithCancel(ctx)
	var t sync.WaitGroup
	t.Go(func() {
		for i := 0; tending.Err() == nil; i++ {
			pause(tending, 15*time.Millisecond)
			what, n := "seal", &l.result.Seals
			if i%3 == 2 {
				what, n = "compact", &l.result.Compacts
			}
			if err := tend(tending, what); err == nil {
				l.count(n)
			}
		}
	})
	return func() {
		w.Wait()
		stop()
		t.Wait()
	}
}

// leastLinear is how many operations the history of an embedded life has at least.
const leastLinear = 200

// failed reports whether a client has found a fault.
func (l *linear) failed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err != nil
}

func (l *linear) count(n *int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*n++
}

// client makes operations until one shows that the database has ended.
func (l *linear) client(ctx context.Context, h *history, id int, d door, r *rand.Rand) {
	for ctx.Err() == nil {
		op := linearOp{a: r.IntN(registers), value: int(l.value.Add(1))}
		op.b = (op.a + 1 + r.IntN(registers-1)) % registers
		if r.IntN(2) == 0 {
			op.kind = linearKind(r.IntN(int(linearKinds)))
		}
		call := h.now()
		var out linearOut
		var err error
		if op.kind == linearRead {
			out.read = true
			out.seen, err = d.read(ctx)
		} else {
			out, err = d.write(ctx, op)
		}
		switch {
		case err == nil && op.kind == linearFail:
			err = errors.New("a request that fails was carried out")
		case err == nil:
			h.add(id, call, op, out)
			if op.kind == linearRead {
				l.count(&l.result.Reads)
			} else {
				l.count(&l.result.Writes)
			}
			continue
		case errors.Is(err, errNothing) && !errors.Is(err, engine.ErrClosed):
			l.count(&l.result.Refused)
			continue
		case errors.Is(err, errUnknown):
			if op.kind != linearRead && op.kind != linearFail {
				h.add(id, call, op, linearOut{unknown: true})
				l.count(&l.result.Unknown)
			}
			return
		case errors.Is(err, engine.ErrClosed):
			return
		}
		l.mu.Lock()
		if l.err == nil {
			l.err = fmt.Errorf("client %d: %+v: %w", id, op, err)
		}
		l.mu.Unlock()
		return
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
