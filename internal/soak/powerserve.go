package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// powerLane is a client of a recorded server, with one connection and one request at a time.
type powerLane struct {
	wire  *wire
	port  int // of the client
	actor *actor
	r     *rand.Rand
	sent  []powerSent
}

// powerSent is a request, and the status of its answer; 0: none came.
type powerSent struct {
	q      *request
	status int
}

// serve runs a server that clients update while it seals, compacts and lets generations
// go; it is killed under their requests, or stopped after them.
func (p *power) serve(ctx context.Context, kill bool) error {
	cmd := serverCommand(p.rete, p.manifest, "--seal-changes", "60", "--fanout", "3", "--retain", "1ms")
	s, err := launch(p.rec.Command(ctx, cmd.Args...), filepath.Join(p.dir, "server"))
	if err != nil {
		return err
	}
	defer func() { // a killed strace lets its program run on
		p.signal(os.Kill)
		s.kill()
	}()
	if err := s.listen(ctx); err != nil {
		return err
	}
	found, err := s.client.quads(ctx)
	if err != nil {
		return err
	}
	before := slices.Clone(p.open)
	clear(p.open)
	happened, err := settle(found, p.actors, before)
	if err != nil {
		return fmt.Errorf("after a kill: %w", err)
	}
	lanes, err := p.load(ctx, s, kill)
	if err != nil {
		return err
	}
	if !kill {
		p.signal(os.Interrupt)
	}
	<-s.ended
	if s.err != nil && !kill {
		return s.err
	}
	from := len(p.rec.Calls)
	if err := p.rec.Read(); err != nil {
		return err
	}
	p.result.Commands++
	return p.note(from, before, happened, lanes)
}

// signal signals the program that is recorded, if there is one.
func (p *power) signal(s os.Signal) {
	program, err := os.FindProcess(p.rec.Program())
	if err == nil && program.Pid > 0 {
		_ = program.Signal(s) // it may have ended by itself
	}
}

// load lets each actor but the first send its requests. The server is killed after half
// of them, if it is to be killed.
func (p *power) load(ctx context.Context, s *process, kill bool) ([]*powerLane, error) {
	lanes := make([]*powerLane, p.clients+1)
	for i := range lanes {
		w, err := dial(s.client.base)
		if err != nil {
			return nil, err
		}
		defer w.conn.Close()
		lanes[i] = &powerLane{wire: w, port: w.conn.LocalAddr().(*net.TCPAddr).Port, actor: p.actors[i], r: rand.New(rand.NewPCG(p.r.Uint64(), uint64(i)))}
	}
	var sent atomic.Int64
	var wait, tending sync.WaitGroup
	working, done := context.WithCancel(ctx)
	defer done()
	tending.Go(func() { lanes[0].tend(working) })
	failed := make([]error, len(lanes))
	for i, l := range lanes[1:] {
		wait.Go(func() {
			for range p.requests {
				if int(sent.Add(1)) == p.requests*p.clients/2 && kill {
					time.AfterFunc(time.Duration(l.r.Int64N(int64(5*time.Millisecond))), func() { p.signal(os.Kill) })
				}
				if going, err := l.send(); !going || err != nil {
					failed[i] = err
					return
				}
			}
		})
	}
	wait.Wait()
	if kill {
		<-s.ended
	}
	done()
	tending.Wait()
	return lanes[1:], errors.Join(failed...)
}

// send sends a request of the actor; going is false if no answer came.
func (l *powerLane) send() (going bool, err error) {
	q := l.actor.draw(l.r)
	err = l.wire.update(q.text)
	var no *refusal
	sent := powerSent{q: q, status: 200}
	switch {
	case err == nil && !q.refused:
		l.actor.done(q)
	case errors.As(err, &no) && (q.refused || no.status == 503):
		sent.status = no.status
	case err == nil || no != nil:
		return false, fmt.Errorf("client %d: got %v for\n%s", l.actor.id, err, q.text)
	default:
		sent.status = 0
	}
	l.sent = append(l.sent, sent)
	return sent.status != 0, nil
}

// tend seals and compacts.
func (l *powerLane) tend(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		pause(ctx, time.Duration(l.r.Int64N(int64(40*time.Millisecond))))
		var no *refusal
		if _, err := l.wire.post([...]string{"/admin/seal", "/admin/seal", "/admin/compact"}[i%3], "", ""); err != nil && !errors.As(err, &no) {
			return
		}
	}
}

// note finds the moments of the answers of a life, of which the recording has the calls
// from an index on. Those of an actor's connection come in the order of its requests; the
// first of all shows what became of the requests that were open before.
func (p *power) note(from int, before []*request, happened []*actor, lanes []*powerLane) error {
	moments, first := map[int][]int{}, -1
	for i := from; i < len(p.rec.Calls); i++ {
		c := &p.rec.Calls[i]
		if _, port, ok := c.Answer(); ok {
			moments[port] = append(moments[port], c.Begin)
			if first < 0 {
				first = c.Begin
			}
		}
	}
	if first < 0 {
		return errors.New("the recording has no answer")
	}
	for id, q := range before {
		if q != nil {
			p.entries[id] = append(p.entries[id], powerEntry{q, first, slices.Contains(happened, p.actors[id])})
		}
	}
	for _, l := range lanes {
		for i, s := range l.sent {
			if s.status == 0 {
				p.open[l.actor.id] = s.q
				continue
			}
			if i >= len(moments[l.port]) {
				return fmt.Errorf("client %d has answer %d, which was not recorded", l.actor.id, i)
			}
			if s.status == 200 {
				p.entries[l.actor.id] = append(p.entries[l.actor.id], powerEntry{s.q, moments[l.port][i], true})
				p.result.Acknowledged++
			}
		}
	}
	return nil
}
