package engine

import (
	"context"
	"errors"
	"time"

	"github.com/rete-go/rete/compaction"
)

// MaintainOptions are the policies of [DB.Maintain]. The zero value and nil work; a
// negative value switches a policy off.
type MaintainOptions struct {
	// SealBytes, SealChanges and SealAge seal the journal when its file has that
	// many bytes, it has that many changes, or its oldest change has that age. Defaults:
	// 32 MiB, 200,000, and 10 minutes.
	SealBytes, SealChanges int64
	SealAge                time.Duration
	// Fanout is how many neighbouring entries of about the same size are compacted
	// into one. Default 8.
	Fanout int
	// Retain lets generations go that are older, and collects what they alone
	// need. Default: never.
	Retain time.Duration
	// Every is how often is looked. Default 1 s.
	Every time.Duration
	// Busy reports whether readers wait for the processor: compaction then makes
	// way for a moment, again and again, but goes on. Nil: it never does.
	Busy func() bool
}

func (o *MaintainOptions) withDefaults() MaintainOptions {
	var c MaintainOptions
	if o != nil {
		c = *o
	}
	if c.SealBytes == 0 {
		c.SealBytes = 32 << 20
	}
	if c.SealChanges == 0 {
		c.SealChanges = 200_000
	}
	if c.SealAge == 0 {
		c.SealAge = 10 * time.Minute
	}
	if c.Fanout == 0 {
		c.Fanout = 8
	}
	if c.Every <= 0 {
		c.Every = time.Second
	}
	return c
}

// maxRest is how long maintenance rests after failures at most.
const maxRest = time.Minute

// Maintain seals, compacts and collects by policy, until ctx ends, whose cause it
// returns, or db is closed, which is [ErrClosed]. Whatever it is at then is broken off, and leaves nothing but files that
// a collection removes. A failure is logged, and tried again after a rest. Only the
// owner of the journal seals.
func (db *DB) Maintain(ctx context.Context, opt *MaintainOptions) error {
	_, err := operate(ctx, db, func(ctx context.Context) (struct{}, error) { return struct{}{}, db.maintainOn(ctx, opt.withDefaults()) })
	return err
}

func (db *DB) maintainOn(ctx context.Context, o MaintainOptions) error {
	rest, collected := o.Every, time.Time{}
	for {
		timer := time.NewTimer(rest)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		err := db.maintain(ctx, &o)
		if err == nil && o.Retain > 0 && time.Since(collected) >= time.Hour {
			collected = time.Now()
			_, err = db.Collect(ctx, &CollectOptions{OlderThan: o.Retain, Yes: true})
		}
		rest = o.Every
		if err != nil && ctx.Err() == nil {
			db.opt.Logger.Warn("maintenance failed", "manifest", db.name, "error", err)
			rest = min(max(o.Every, 10*o.Every), maxRest)
		}
	}
}

// maintain does what is due.
func (db *DB) maintain(ctx context.Context, o *MaintainOptions) error {
	if db.sealDue(o) {
		if _, err := db.Seal(ctx, nil); err != nil && !errors.Is(err, ErrNothingToSeal) {
			return err
		}
	}
	if o.Fanout < 2 {
		return nil
	}
	_, err := db.Compact(ctx, &CompactOptions{Auto: o.Fanout, Busy: o.Busy, Fold: compaction.Options{Workers: 1}})
	if errors.Is(err, ErrCompact) || errors.Is(err, ErrConflict) {
		return nil // nothing to do, or done by somebody else
	}
	return err
}

// sealDue reports whether the journal is to be sealed by policy.
func (db *DB) sealDue(o *MaintainOptions) bool {
	if !db.writing.TryLock() {
		return false // a write is under way: the next look tells
	}
	defer db.writing.Unlock()
	own := db.own
	if own == nil || own.stale {
		return false
	}
	if db.reset(own); own.head.changes == 0 {
		return false
	}
	return o.SealChanges > 0 && own.head.changes >= o.SealChanges ||
		o.SealBytes > 0 && own.journal.Size() >= o.SealBytes ||
		o.SealAge > 0 && time.Since(own.head.since) >= o.SealAge
}

// tierBytes is up to which size entries count as equally small.
const tierBytes = 1 << 20

// planCompaction chooses the run of entries that a size-tiered policy compacts: at
// least fanout entries of one tier, with only smaller ones between them; of the
// smallest tier that has such a run, and there the newest run. Tiers are powers of
// fanout in size, so an entry is rewritten once a tier. count is 0 if there is none.
func planCompaction(sizes []int64, fanout int) (first, count int) {
	tier := func(size int64) (t int) {
		for size >= tierBytes {
			size /= int64(fanout)
			t++
		}
		return t
	}
	most := 0
	for _, s := range sizes {
		most = max(most, tier(s))
	}
	for t := 0; t <= most; t++ {
		end, same := len(sizes), 0
		for i := len(sizes) - 1; i >= -1; i-- {
			if i >= 0 && tier(sizes[i]) <= t {
				if tier(sizes[i]) == t {
					same++
				}
				continue
			}
			if same >= fanout {
				return i + 1, end - i - 1
			}
			end, same = i, 0
		}
	}
	return 0, 0
}
