package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/powercut"
)

// powerOptions are the choices of the power cuts.
type powerOptions struct {
	*common
	clients  int // of the server
	requests int // of each, in each life of the server
	lives    int // of the server; all but the last end by a kill
	cuts     int // the power is cut so often; 0: at each moment that counts
	again    int // after one cut in `again` it is cut again, under the recovery; 0: never

	lazyfs string // the program; not empty: the power of a live server on it is cut
}

// powerResult is what the power cuts showed.
type powerResult struct {
	Commands, Acknowledged, Calls int
	Cuts, Open, Torn              int // images; requests that were in them without an answer; those with a torn journal
	Again                         int // images of second cuts
}

func (r *powerResult) String() string {
	return fmt.Sprintf("%d cuts of the power in %d calls of %d commands, %d requests acknowledged; %d images have one without an answer, %d a torn journal; %d second cuts",
		r.Cuts, r.Calls, r.Commands, r.Acknowledged, r.Open, r.Torn, r.Again)
}

// powerEntry is a request of an actor that may be found after a cut.
type powerEntry struct {
	request *request
	settled int  // moment from which it must be there, or must not
	done    bool // it must
}

// power runs commands and a server while their system calls are recorded, and then looks
// at what cuts of the power would have left.
type power struct {
	*powerOptions
	rec      *powercut.Recording
	manifest string
	r        *rand.Rand
	actors   []*actor       // the first is the shell, the others are clients of the server
	seed     string         // an update that makes what they begin with
	made     int            // moment from which there is a manifest
	seeded   int            // moment from which there are the first quads
	entries  [][]powerEntry // by actor, in order
	open     []*request     // by actor: the request that the last life of the server did not answer
	result   powerResult

	// lost says of which calls the disk does nothing: a test sees what is found then.
	lost func(*powercut.Call) bool
}

// cutPower records work and checks that no cut of the power loses what was acknowledged,
// or leaves a request by half, or a store that a check finds fault with or that cannot
// be written.
func cutPower(ctx context.Context, o *powerOptions) (*powerResult, error) {
	p, err := recordPower(ctx, o)
	if err != nil {
		return nil, err
	}
	err = p.cut(ctx)
	fmt.Fprintf(o.out, "power: %s\n", &p.result)
	return &p.result, err
}

// recordPower records work.
func recordPower(ctx context.Context, o *powerOptions) (*power, error) {
	if err := powercut.Available(ctx); err != nil {
		return nil, err
	}
	folder := filepath.Join(o.dir, "power")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	rec, err := powercut.New(folder)
	if err != nil {
		return nil, err
	}
	p := &power{powerOptions: o, rec: rec, manifest: filepath.Join(folder, "power.rete-manifest.json"), r: rand.New(rand.NewPCG(o.common.seed, 5))}
	for id := range o.clients + 1 {
		p.actors = append(p.actors, newActor(id))
	}
	p.seed, p.entries, p.open = seeded(p.actors), make([][]powerEntry, len(p.actors)), make([]*request, len(p.actors))
	if err := p.work(ctx); err != nil {
		return nil, err
	}
	p.result.Calls = len(rec.Calls)
	return p, nil
}

// work is what is recorded: shells, lives of a server, shells again.
func (p *power) work(ctx context.Context) (err error) {
	if p.made, err = p.command(ctx, "manifest", "init", p.manifest, "--empty"); err != nil {
		return err
	}
	if p.seeded, err = p.command(ctx, "update", p.manifest, p.seed); err != nil {
		return err
	}
	if err := p.shells(ctx, "update", "seal", "update", "add", "update", "compact", "gc"); err != nil {
		return err
	}
	for life := range p.lives {
		if err := p.serve(ctx, life+1 < p.lives); err != nil {
			return fmt.Errorf("life %d of the server: %w", life, err)
		}
	}
	return p.shells(ctx, "update", "add", "gc", "update", "compact", "seal", "gc", "update")
}

// command runs a command, and returns the moment in which it tells its success.
func (p *power) command(ctx context.Context, args ...string) (moment int, err error) {
	p.result.Commands++
	return recordCommand(ctx, p.rec, p.rete, args...)
}

// recordCommand is [power.command] in another recording.
func recordCommand(ctx context.Context, rec *powercut.Recording, rete string, args ...string) (moment int, err error) {
	cmd := rec.Command(ctx, append([]string{rete}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("rete %s: %w: %s", strings.Join(args, " "), err, out)
	}
	if err := rec.Read(); err != nil {
		return 0, fmt.Errorf("rete %s: %w", strings.Join(args, " "), err)
	}
	for i := len(rec.Calls) - 1; i >= 0; i-- {
		if c := &rec.Calls[i]; c.Name == "exit_group" {
			return c.Begin, nil
		}
	}
	return 0, errors.New("the recording has no end")
}

// shells runs commands of the first actor.
func (p *power) shells(ctx context.Context, steps ...string) error {
	a := p.actors[0]
	for _, step := range steps {
		var q *request
		args := []string{"manifest", step, p.manifest}
		switch step {
		case "update":
			for q = a.draw(p.r); q.refused; q = a.draw(p.r) {
			}
			args = append(args, q.text)
		case "add":
			name := filepath.Join(p.dir, "added.nq")
			var text string
			q, text = a.drawAdd()
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				return err
			}
			args = append(args, "--adds", name)
		case "gc":
			args = append(args, "--keep", "2", "--grace", "1ns", "--yes")
		}
		moment, err := p.command(ctx, args...)
		if err != nil {
			return err
		}
		if q != nil {
			p.acknowledge(a, q, moment)
		}
	}
	return nil
}

// acknowledge notes that a request is carried out.
func (p *power) acknowledge(a *actor, q *request, moment int) {
	a.done(q)
	p.entries[a.id] = append(p.entries[a.id], powerEntry{q, moment, true})
	p.result.Acknowledged++
}

// drawAdd draws a quad, and returns it as N-Quads too.
func (a *actor) drawAdd() (*request, string) {
	a.seq++
	q := &request{text: "add", after: map[string]bool{a.quad("", "added", "v", a.seq): true}}
	for line := range a.state {
		q.after[line] = true
	}
	return q, fmt.Sprintf("%s <http://ex/v> \"%d\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n", a.name("added"), a.seq)
}
