package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
)

// ownerWait is how long a command waits for another one that writes to the same
// manifest, and for a server that stops.
const ownerWait = 10 * time.Second

// carryOut makes a change here, or has the process make it that serves the manifest:
// every command that writes to a manifest goes this way.
func (a *app) carryOut(ctx context.Context, name string, c *control.Change) (*control.Changed, error) {
	remove := func() {}
	defer func() { remove() }()
	for until := time.Now().Add(ownerWait); ; {
		done, err := a.tryChange(ctx, name, c, &remove)
		var again control.NotNow
		if !errors.As(err, &again) || time.Now().After(until) {
			return done, err
		}
		timer := time.NewTimer(20*time.Millisecond + rand.N(180*time.Millisecond))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// tryChange is one attempt of carryOut.
func (a *app) tryChange(ctx context.Context, name string, c *control.Change, remove *func()) (*control.Changed, error) {
	db, err := a.open(ctx, name, &flags.Database{Cache: flags.Size(c.Budgets.Cache)})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if owned := db.Engine().Owner(); owned != nil && owned.Serves() {
		if owned.Note.Token == "" {
			return nil, owned
		}
		if err := c.Portable(ctx, remove); err != nil {
			return nil, err
		}
		done, err := control.Hand(ctx, owned.Note, name, c)
		if err != nil {
			return nil, err
		}
		for _, w := range done.Warnings {
			a.note("rete: warning: %s", texts.Shown(w))
		}
		done.Warnings = nil
		return done, nil
	}
	c.Bar = a.progress(c.Verb)
	c.Warn = func(message string) { a.note("rete: warning: %s", message) }
	done, err := c.Run(ctx, db, nil)
	c.Bar.Done()
	var owned *engine.OwnedError
	if errors.As(err, &owned) && owned.Serves() && owned.Note.Token != "" {
		if slices.ContainsFunc(slices.Concat(control.PartsOf(c.Step.Adds), control.PartsOf(c.Step.Dels)), func(s engine.Source) bool { return s.Reader != nil }) {
			return nil, fmt.Errorf("%w; standard input or a pipe is used up, so give it again", err)
		}
		return nil, control.NotNow{Err: err} // a server came between, and will be asked
	}
	if err != nil {
		return nil, err
	}
	done.Manifest = name
	return done, nil
}

// printChanged prints what a write did.
func (a *app) printChanged(d *control.Changed, asJSON bool) error {
	if asJSON {
		return a.printJSON(d)
	}
	what := "committed"
	switch {
	case d.Changed:
	case d.Unsealed > 0:
		what = fmt.Sprintf("%s in the journal, which `rete manifest seal` commits; the log stays at", plural(int(d.Unsealed), "change waits", "changes wait"))
	default:
		what = "nothing to commit, still"
	}
	_, err := fmt.Fprintf(a.out, "%s: %s generation %d, %s\n", shownGraph(d.Manifest), what, d.Generation, plural(d.Entries, "entry", "entries"))
	return err
}
