package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rete-go/rete/engine"
)

// crashOptions are the choices of the crash loop.
type crashOptions struct {
	*common
	rounds, clients, fsck int
	life                  time.Duration
	until                 time.Time // no round begins later, if it is set

	store string                                       // folder of the manifest; that of common if it is empty
	cut   func(context.Context) (lost bool, err error) // cuts the power after each kill; nil: it stays
	args  []string                                     // more flags of the server
}

// crashResult is what a crash loop did.
type crashResult struct {
	Rounds, Early    int // kills; those of servers that did not answer yet
	Cuts, Lossy      int // of the power; those that took data
	Acknowledged     int // requests
	Refused          int // whose last operation fails
	Open, Happened   int // requests without an answer; those that were carried out
	Reads            int
	Seals, Compacts  int // asked for, and done
	Checks, Collects int // of the whole store
	Generation       int64
}

func (r *crashResult) String() string {
	cuts := ""
	if r.Cuts > 0 {
		cuts = fmt.Sprintf("%d cuts of the power (%d took data), ", r.Cuts, r.Lossy)
	}
	return cuts + fmt.Sprintf("%d kills (%d while starting), %d acknowledged, %d refused, %d without an answer (%d of them happened), %d reads, %d seals, %d compactions, %d checks, %d collections, generation %d",
		r.Rounds, r.Early, r.Acknowledged, r.Refused, r.Open, r.Happened, r.Reads, r.Seals, r.Compacts, r.Checks, r.Collects, r.Generation)
}

// crasher runs the rounds.
type crasher struct {
	*crashOptions
	manifest string
	r        *rand.Rand
	actors   []*actor
	open     []*request // by actor: the request whose answer never came

	mu     sync.Mutex // guards the rest while a server runs
	seen   []int      // by actor: the steps that a reader saw
	result crashResult
	err    error
}

// fail notes the first error.
func (c *crasher) fail(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// crash kills a server again and again under a mixed load of updates, seals and
// compactions. After each kill every acknowledged request is there, none is there
// by half, none that a reader saw is lost, and the quads are those of the model.
func crash(ctx context.Context, o *crashOptions) (*crashResult, error) {
	c := &crasher{crashOptions: o, manifest: filepath.Join(cmp.Or(o.store, o.dir), "crash.rete-manifest.json"), r: rand.New(rand.NewPCG(o.seed, 1))}
	for id := range o.clients {
		c.actors = append(c.actors, newActor(id))
	}
	c.open, c.seen = make([]*request, o.clients), make([]int, o.clients)
	db, err := engine.Init(ctx, c.manifest, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	p, err := c.serve(ctx)
	if err != nil {
		return nil, err
	}
	err = p.client.update(ctx, seeded(c.actors))
	for last := time.Now(); err == nil && c.result.Rounds < o.rounds && ctx.Err() == nil; {
		if !o.until.IsZero() && time.Now().After(o.until) {
			break
		}
		if p, err = c.round(ctx, p); err != nil {
			break
		}
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintf(o.out, "%s\n", &c.result)
		}
	}
	if err != nil {
		if p != nil {
			p.kill()
		}
		return nil, fmt.Errorf("round %d: %w", c.result.Rounds, err)
	}
	err = errors.Join(ctx.Err(), p.stop())
	if err == nil {
		err = c.check(ctx)
	}
	fmt.Fprintf(o.out, "crash: %s\n", &c.result)
	return &c.result, err
}

func (c *crasher) serve(ctx context.Context) (*process, error) {
	p, err := c.launch()
	if err != nil {
		return nil, err
	}
	return p, p.listen(ctx)
}

func (c *crasher) launch() (*process, error) {
	args := append([]string{"--seal-changes", "300", "--fanout", "3"}, c.args...)
	return launch(serverCommand(c.rete, c.manifest, args...), filepath.Join(c.dir, "crash"))
}

// kill ends a server as a crash does, or a cut of the power.
func (c *crasher) kill(ctx context.Context, p *process) {
	p.kill()
	if c.cut == nil {
		return
	}
	lost, err := c.cut(ctx)
	if err != nil {
		c.fail("%w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.result.Cuts++; lost {
		c.result.Lossy++
	}
}

// round loads a server, kills it, starts the next one, and checks it.
func (c *crasher) round(ctx context.Context, p *process) (*process, error) {
	life := time.Duration(c.r.Int64N(int64(c.life)) + 1)
	if c.r.IntN(20) == 0 {
		life = time.Second + life*4 // what the server does by itself, it does each second
	}
	var w sync.WaitGroup
	dying, dead := context.WithCancel(ctx)
	c.load(dying, &w, p.client)
	select {
	case <-time.After(life):
	case <-p.ended:
		c.fail("the server ended by itself: %v", p.err)
	case <-ctx.Done():
	}
	c.kill(ctx, p)
	dead()
	w.Wait()
	if c.result.Rounds++; c.err != nil {
		return nil, c.err
	}
	if c.fsck > 0 && c.result.Rounds%c.fsck == 0 {
		if err := c.check(ctx); err != nil {
			return nil, err
		}
	}
	for c.r.IntN(6) == 0 { // recovery is interrupted too
		early, err := c.launch()
		if err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(c.r.Int64N(int64(60 * time.Millisecond))))
		c.kill(ctx, early)
		c.result.Early++
	}
	p, err := c.serve(ctx)
	if err != nil {
		return nil, err
	}
	return p, c.compare(ctx, p.client)
}

// load starts the clients of a round.
func (c *crasher) load(ctx context.Context, w *sync.WaitGroup, client *client) {
	for i, a := range c.actors {
		r := rand.New(rand.NewPCG(c.r.Uint64(), uint64(i)))
		w.Go(func() { c.act(ctx, r, client, a) })
	}
	w.Go(func() { c.read(ctx, client) })
	r := rand.New(rand.NewPCG(c.r.Uint64(), 99))
	w.Go(func() { c.tend(ctx, r, client) })
}

// act sends requests until one has no answer.
func (c *crasher) act(ctx context.Context, r *rand.Rand, client *client, a *actor) {
	for ctx.Err() == nil {
		q := a.draw(r)
		err := client.update(ctx, q.text)
		var no *refusal
		c.mu.Lock()
		switch {
		case err == nil && !q.refused:
			c.result.Acknowledged++
			a.done(q)
		case errors.As(err, &no) && q.refused:
			c.result.Refused++
		case errors.As(err, &no) && no.status == 503: // the queue is full
		case err == nil || no != nil:
			if c.err == nil {
				c.err = fmt.Errorf("client %d: got %v for\n%s", a.id, err, q.text)
			}
			c.mu.Unlock()
			return
		default:
			c.result.Open++
			c.open[a.id] = q
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
	}
}

// read reads the counter and which clients counted: they agree in every snapshot.
func (c *crasher) read(ctx context.Context, client *client) {
	for ctx.Err() == nil {
		rows, err := client.query(ctx, prologue+"SELECT ?c ?a ?n { :counter :is ?c . ?a :did ?n }")
		if err != nil {
			return // the server is dead
		}
		sum, total := 0, -1
		seen := make([]int, len(c.actors))
		for _, row := range rows {
			id, n, err := didRow(row)
			if err != nil || id >= len(seen) {
				c.fail("a reader sees %q", row)
				return
			}
			total, _ = strconv.Atoi(row[0])
			seen[id] = n
			sum += n
		}
		if sum != total || len(rows) != len(seen) {
			c.fail("a reader sees the counter at %d, but %d steps: %q", total, sum, rows)
			return
		}
		c.mu.Lock()
		c.result.Reads++
		for id, n := range seen {
			c.seen[id] = max(c.seen[id], n)
		}
		c.mu.Unlock()
	}
}

// didRow reads a row of counter, actor and steps.
func didRow(row []string) (id, n int, err error) {
	if len(row) != 3 {
		return 0, 0, errors.New("not three columns")
	}
	if id, err = strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(row[1], "<http://ex/a"), "/>")); err != nil {
		return 0, 0, err
	}
	n, err = strconv.Atoi(row[2])
	return id, n, err
}

// tend seals and compacts at random moments.
func (c *crasher) tend(ctx context.Context, r *rand.Rand, client *client) {
	for ctx.Err() == nil {
		select {
		case <-time.After(time.Duration(r.Int64N(int64(60 * time.Millisecond)))):
		case <-ctx.Done():
			return
		}
		what := "seal"
		if r.IntN(4) == 0 {
			what = "compact"
		}
		err := client.tend(ctx, what)
		var no *refusal
		switch {
		case errors.As(err, &no) && no.status == http.StatusPreconditionFailed && what == "compact":
			continue // the server has compacted these entries by itself meanwhile
		case no != nil:
			c.fail("%s: %v", what, err)
			return
		case err != nil:
			return
		}
		c.mu.Lock()
		if what == "seal" {
			c.result.Seals++
		} else {
			c.result.Compacts++
		}
		c.mu.Unlock()
	}
}

// compare compares the quads with the model, and settles the requests that had no
// answer.
func (c *crasher) compare(ctx context.Context, client *client) error {
	all, err := client.quads(ctx)
	if err != nil {
		return err
	}
	happened, err := settle(all, c.actors, c.open)
	if err != nil {
		return err
	}
	clear(c.open)
	c.result.Happened += len(happened)
	for _, a := range c.actors {
		if a.did < c.seen[a.id] {
			return fmt.Errorf("client %d: a reader saw %d steps, %d are left", a.id, c.seen[a.id], a.did)
		}
	}
	return nil
}

// settle compares all quads, which it changes, with those of the actors. Of an actor's
// open request, if there is one, they have all or nothing; what is there counts as done,
// and settle returns the actors whose is.
func settle(all map[string]bool, actors []*actor, open []*request) (happened []*actor, err error) {
	if !all[guard] {
		return nil, errors.New("the guard is gone")
	}
	delete(all, guard)
	total := 0
	for i, a := range actors {
		mine := map[string]bool{}
		prefix := fmt.Sprintf("<http://ex/a%d/", a.id)
		for line := range all {
			if strings.Contains(line, prefix) {
				mine[line] = true
				delete(all, line)
			}
		}
		switch q := open[i]; {
		case maps.Equal(mine, a.state): // also if q changes nothing
		case q != nil && maps.Equal(mine, q.after):
			a.done(q)
			happened = append(happened, a)
		default:
			return nil, fmt.Errorf("client %d: the quads are neither those before its last request nor those after\n%s\nthe request:\n%+v", a.id, differences(mine, a.state), q)
		}
		total += a.did
	}
	want := map[string]bool{counter + strconv.Itoa(total): true}
	if !maps.Equal(all, want) {
		return nil, fmt.Errorf("the quads that nobody owns:\n%s", differences(all, want))
	}
	return happened, nil
}

// differences lists what one set has and the other has not.
func differences(got, want map[string]bool) string {
	var b strings.Builder
	for line := range got {
		if !want[line] {
			fmt.Fprintf(&b, "there, and should not be: %s\n", line)
		}
	}
	for line := range want {
		if !got[line] {
			fmt.Fprintf(&b, "not there: %s\n", line)
		}
	}
	return b.String()
}

// check checks the whole store while no server runs, and lets old generations go.
func (c *crasher) check(ctx context.Context) error {
	report, err := engine.Check(ctx, c.manifest, nil, nil)
	if err != nil {
		return fmt.Errorf("fsck: %w", err)
	}
	c.result.Checks++
	c.result.Generation = report.Generation
	if !report.OK {
		return fmt.Errorf("fsck: %+v", report.Findings)
	}
	if c.result.Checks%5 != 0 {
		return nil
	}
	db, err := engine.Open(ctx, c.manifest, nil)
	if err != nil {
		return err
	}
	_, err = db.Collect(ctx, &engine.CollectOptions{Keep: 5, Grace: time.Nanosecond, Yes: true})
	c.result.Collects++
	return errors.Join(err, db.Close())
}
