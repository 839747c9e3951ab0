package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"sync"
	"time"
)

// errUnconditional: the store does not keep the conditions of writes, so that one writer
// could undo another one's. It matches [ErrReadOnly].
var errUnconditional = fmt.Errorf("the store cannot be written to by conditions: %w", ErrReadOnly)

// probeRacers is how many writers a probe lets race.
const probeRacers = 8

// probeTries bounds how often a probe is made that failures of the network cut short.
const probeTries = 5

// Probe finds out whether a store keeps the conditions of writes and reads ranges of what
// was written, by objects under a prefix of names, which it removes. Single requests are not
// enough: some stores answer each as they should and still lose updates, so eight writers
// race. The error matches [ErrReadOnly] and says what the store did; an error of the
// network, or a refusal, says nothing of the store.
func Probe(ctx context.Context, s Store, prefix string) error {
	var err error
	for try := range probeTries {
		p := &probe{s: s, name: prefix + strings.ToLower(rand.Text()[:16])}
		err = p.run(ctx)
		p.clean(context.WithoutCancel(ctx))
		if err == nil || ctx.Err() != nil || !errors.Is(err, ErrBusy) && !errors.Is(err, ErrUnknownOutcome) {
			return err
		}
		if err := probePause(ctx, try, err); err != nil {
			return err
		}
	}
	return err
}

type probe struct {
	s    Store
	name string
}

func (p *probe) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{p.missing, p.create, p.update} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// violates names the line of the probe that did not hold.
func (p *probe) violates(line, format string, args ...any) error {
	return fmt.Errorf("%s: %w: probe %q: %s", p.name, errUnconditional, line, fmt.Sprintf(format, args...))
}

// put makes a request that must be refused, again where it was not answered.
func (p *probe) put(ctx context.Context, name string, cond Cond) (err error) {
	for try := range probeTries {
		_, err = p.s.Put(ctx, name, p.body(9), cond)
		if !errors.Is(err, ErrBusy) && !errors.Is(err, ErrUnknownOutcome) {
			return err
		}
		if err := probePause(ctx, try, err); err != nil {
			return err
		}
	}
	return err
}

// askedToWait is how long a server that was busy has asked to wait; 0 of other errors.
func askedToWait(err error) time.Duration {
	var busy *busyError
	if errors.As(err, &busy) {
		return busy.after
	}
	return 0
}

// probePause waits until a request is made again.
func probePause(ctx context.Context, try int, err error) error {
	timer := time.NewTimer(max(askedToWait(err), time.Duration(try+1)*(10*time.Millisecond+mathrand.N(20*time.Millisecond))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// definite passes on what is no answer of the store to the question.
func definite(err error) bool {
	return err == nil || errors.Is(err, ErrExists) || errors.Is(err, ErrConditionFailed)
}

func (p *probe) body(i int) []byte { return fmt.Appendf(nil, "%s: written by racer %d\n", p.name, i) }

// missing writes to a name that is free, on the condition of what is not there.
func (p *probe) missing(ctx context.Context) error {
	const line = "If-Match on a missing key"
	err := p.put(ctx, p.name+"-missing", IfMatch(`"0123456789abcdef0123456789abcdef"`))
	switch {
	case err == nil:
		return p.violates(line, "it was written, want 412 or 404")
	case errors.Is(err, ErrConditionFailed):
		return nil
	case errors.Is(err, ErrReadOnly):
		return p.violates(line, "%v", err)
	}
	return err
}

// create lets writers race for a free name, and comes after the winner.
func (p *probe) create(ctx context.Context) error {
	winner, err := p.race(ctx, "eight creates at once", IfAbsent())
	if err != nil {
		return err
	}
	data, _, err := p.read(ctx)
	if err != nil {
		return err
	}
	if !bytes.Equal(data, p.body(winner)) {
		return p.violates("read after write", "%q was read, and %q had been written", data, p.body(winner))
	}
	const line = "create a name that is taken"
	switch err := p.put(ctx, p.name, IfAbsent()); {
	case err == nil:
		return p.violates(line, "it was written, want 412")
	case !errors.Is(err, ErrExists):
		return err
	}
	return p.ranges(ctx, data)
}

// ranges reads a part of the object.
func (p *probe) ranges(ctx context.Context, data []byte) error {
	o, err := p.s.Open(ctx, p.name)
	if err != nil {
		return p.reading("206 with the right Content-Range", err)
	}
	defer o.Close()
	part := make([]byte, 7)
	if err := ReadAt(ctx, o, part, 3); err != nil {
		return p.reading("206 with the right Content-Range", err)
	}
	if o.Size() != int64(len(data)) || !bytes.Equal(part, data[3:10]) {
		return p.violates("206 with the right Content-Range", "%d bytes, %q of %q", o.Size(), part, data)
	}
	return nil
}

func (p *probe) reading(line string, err error) error {
	if errors.Is(err, ErrProtocol) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrChanged) {
		return p.violates(line, "%v", err)
	}
	return err
}

// read reads the object and its validator.
func (p *probe) read(ctx context.Context) ([]byte, string, error) {
	data, validator, err := p.s.ReadAll(ctx, p.name, 1<<10)
	switch {
	case err != nil:
		return nil, "", p.reading("read after write", err)
	case validator == "":
		return nil, "", p.violates("strong ETag", "the server gives none")
	}
	return data, validator, nil
}

// update replaces the object on a wrong condition, and then lets writers race on the right one.
func (p *probe) update(ctx context.Context) error {
	_, validator, err := p.read(ctx)
	if err != nil {
		return err
	}
	const line = "If-Match with a wrong ETag"
	switch err := p.put(ctx, p.name, IfMatch(`"0123456789abcdef0123456789abcdef"`)); {
	case err == nil:
		return p.violates(line, "it was written, want 412")
	case !errors.Is(err, ErrConditionFailed):
		return err
	}
	// Other bytes than those that are there: the one that wins must change them.
	winner, err := p.race(ctx, "eight updates at once", IfMatch(validator))
	if err != nil {
		return err
	}
	data, after, err := p.read(ctx)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(data, p.body(winner)):
		return p.violates("read after write", "%q was read, and %q had been written", data, p.body(winner))
	case after == validator:
		return p.violates("a new ETag for new bytes", "it is still %s", after)
	}
	return nil
}

// race lets writers write at once, of which one must win, and returns it.
func (p *probe) race(ctx context.Context, line string, cond Cond) (winner int, err error) {
	base := 0
	if !cond.Absent() {
		base = 100
	}
	errs := make([]error, probeRacers)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { _, errs[i] = p.s.Put(ctx, p.name, p.body(base+i), cond) })
	}
	all.Wait()
	winner, won := -1, 0
	for i, e := range errs {
		switch {
		case e == nil:
			winner, won = base+i, won+1
		case errors.Is(e, ErrReadOnly), errors.Is(e, ErrNotFound):
			return 0, p.violates(line, "%v", e)
		case !definite(e) && (err == nil || errors.Is(err, ErrBusy)): // the graver one
			err = e
		}
	}
	switch {
	case won > 1:
		return 0, p.violates(line, "%d of them were answered as written, want one", won)
	case won == 1: // if one of those without an answer has written, too, the next read shows it
		return winner, nil
	case err != nil:
		return p.unanswered(ctx, base, err)
	}
	return 0, p.violates(line, "none of them was written: %v", errs[0])
}

// unanswered finds the winner of a race by what is there, if it was one of those that got no
// answer.
func (p *probe) unanswered(ctx context.Context, base int, err error) (winner int, _ error) {
	data, _, rerr := p.s.ReadAll(ctx, p.name, 1<<10)
	for i := range probeRacers {
		if rerr == nil && bytes.Equal(data, p.body(base+i)) {
			return base + i, nil
		}
	}
	return 0, err
}

// clean removes what was written, as far as the store lets it.
func (p *probe) clean(ctx context.Context) {
	_ = p.s.Remove(ctx, p.name) // best effort: a name of its own is in nobody's way
	_ = p.s.Remove(ctx, p.name+"-missing")
}
