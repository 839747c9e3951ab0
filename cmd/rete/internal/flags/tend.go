package flags

import (
	"context"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
)

// Tend are the flags of a server's durability and of what it does by itself:
// seals, compactions, collections.
type Tend struct {
	sync        string
	sealBytes   Size
	sealChanges int64
	sealAge     time.Duration
	fanout      int
	retain      time.Duration
	off         bool
}

// Tending are the flags of what a server does by itself, sealing those that --no-maintenance
// leaves without effect.
var (
	sealing = []string{"seal-bytes", "seal-changes", "seal-age", "fanout", "retain"}
	Tending = append([]string{"no-maintenance"}, sealing...)
)

// Register adds the flags.
func (f *Tend) Register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.sync, "sync", "always", "when a write is acknowledged: always (it is on disk), interval (on disk 50 ms later), never (the system decides)")
	fl.Var(&f.sealBytes, "seal-bytes", "seal the journal when it has this many bytes (default 32MiB)")
	fl.Int64Var(&f.sealChanges, "seal-changes", 0, "seal the journal when it has this many changes (default 200000; below zero: never for that)")
	fl.DurationVar(&f.sealAge, "seal-age", 0, "seal the journal when its oldest change is this old (default 10m; below zero: never for that)")
	fl.IntVar(&f.fanout, "fanout", 0, "compact this many entries of about the same size into one (default 8; 1: never)")
	fl.DurationVar(&f.retain, "retain", 0, "let generations go that are older, and remove what they alone need (default: never)")
	fl.BoolVar(&f.off, "no-maintenance", false, "neither seal nor compact by itself")
	MayBeBelowZero(cmd, "seal-changes", "seal-age")
	NotZero(cmd, "seal-bytes", "seal-changes", "seal-age", "fanout")
	Overriding(cmd, "no-maintenance", sealing...)
	Complete(cmd, "sync", "always", "interval", "never")
}

// Mode is that of --sync.
func (f *Tend) Mode() (engine.SyncMode, error) {
	switch f.sync {
	case "always":
		return engine.SyncAlways, nil
	case "interval":
		return engine.SyncInterval, nil
	case "never":
		return engine.SyncNever, nil
	}
	return engine.SyncAlways, Usagef("--sync is always, interval or never, not %q", f.sync)
}

// Start tends the database until ctx ends or stop is called, which waits for the
// end of what is under way.
func (f *Tend) Start(ctx context.Context, db *rete.DB, busy func() bool) (stop func()) {
	if f.off {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var w sync.WaitGroup
	w.Go(func() {
		// It returns the cause of the context; failures are in the log.
		_ = db.Engine().Maintain(ctx, &engine.MaintainOptions{
			SealBytes: int64(f.sealBytes), SealChanges: f.sealChanges, SealAge: f.sealAge,
			Fanout: f.fanout, Retain: f.retain, Busy: busy,
		})
	})
	return func() {
		cancel()
		w.Wait()
	}
}
