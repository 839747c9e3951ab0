package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// WarmOptions make a database decode its local segments into the cache before
// somebody asks for them: when it is opened, and whenever a seal, a compaction or
// another program brought new ones. One goroutine does it, dictionaries first, then
// the tiles order by order, while there is room in its share of the cache: it never
// drops what queries brought in, and what it brought in goes first when they need
// the room. It ends with [DB.Close]. Segments from web servers are left alone.
//
// A failure ends the warming of its segment and is logged; queries meet it where
// they need the damaged part.
type WarmOptions struct {
	// Share is the part of the cache that may be full when it stops, above 0 and at
	// most 1. Default 0.75.
	Share float64
	// Busy reports whether queries wait for the processor: then it rests half of
	// the time, 50 ms at most at a time. Nil: it always does.
	Busy func() bool
}

// WarmStats are what warming has done since the database was opened.
type WarmStats struct {
	Units   int64 // dictionary chunks and tiles that were decoded
	Bytes   int64 // what these took in the cache
	Running bool  // it is at work
	Full    bool  // it has left out units, for want of room in its share of the cache
}

// defaultShare is the share of the cache that warming fills. Lending may take half
// of the cache away; what goes first then is what nobody has used.
const defaultShare = 0.75

// warmStep is how long units are decoded between two checks for queries that wait.
const warmStep = time.Millisecond

// warmOrders are the orders of tiles as they are decoded: first those of subjects,
// of values of a property, and of properties.
var warmOrders = [tile.NumOrders]tile.Order{tile.SPO, tile.POS, tile.PSO, tile.OPS, tile.OSP, tile.SOP}

// partSet has a bit for the dictionary, and one for each of warmOrders.
type partSet uint8

// errMoved ends a warming whose state is no longer the newest one.
var errMoved = errors.New("there are other segments")

// warmer is the goroutine that warms the cache of a database.
type warmer struct {
	db     *DB
	share  float64
	busy   func() bool
	cancel context.CancelFunc
	wake   chan struct{} // one place: segments have come or gone
	ended  chan struct{}

	mu    sync.Mutex
	rests chan struct{} // closed while there is nothing to do
	stats WarmStats
}

// startWarming starts the goroutine if the options ask for it.
func (db *DB) startWarming() {
	o := db.opt.Warm
	if o == nil {
		return
	}
	w := &warmer{db: db, share: o.Share, busy: o.Busy,
		wake: make(chan struct{}, 1), ended: make(chan struct{}), rests: make(chan struct{})}
	if w.share <= 0 || w.share > 1 {
		w.share = defaultShare
	}
	if w.busy == nil {
		w.busy = func() bool { return true }
	}
	w.stats.Running = true
	w.wake <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	db.mu.Lock()
	db.warmer = w
	db.mu.Unlock()
	go w.run(cache.Sparing(ctx, w.share))
}

// stop ends the goroutine and waits for it. w may be nil.
func (w *warmer) stop() {
	if w != nil {
		w.cancel()
		<-w.ended
	}
}

// nudge tells that segments have come or gone. w may be nil. db.mu may be held.
func (w *warmer) nudge() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stats.Running {
		w.stats.Running, w.rests = true, make(chan struct{})
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// rest is what run does when it has done everything.
func (w *warmer) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.wake) == 0 && w.stats.Running {
		w.stats.Running = false
		close(w.rests)
	}
}

func (w *warmer) run(ctx context.Context) {
	defer close(w.ended)
	done := map[*openSegment]partSet{} // the parts of a segment that are done
	for {
		select {
		case <-w.wake:
		case <-ctx.Done():
			return
		}
		snap, err := w.db.Snapshot(ctx)
		if err == nil {
			err = w.warm(ctx, snap.state, done)
			snap.Close()
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, errMoved) && !errors.Is(err, ErrClosed) {
			w.db.opt.Logger.Warn("warming failed", "manifest", w.db.name, "error", err)
		}
		w.rest()
	}
}

// warm decodes part after part of all segments of a state. Those that failed count
// as done.
func (w *warmer) warm(ctx context.Context, st *state, done map[*openSegment]partSet) error {
	open := map[*openSegment]bool{}
	for _, o := range st.open {
		open[o] = true
	}
	for o := range done {
		if !open[o] {
			delete(done, o)
		}
	}
	pace := pacer{w.busy, time.Now()}
	between := func() error {
		if time.Since(pace.last) >= warmStep {
			pace.step(ctx)
		}
		if len(w.wake) > 0 {
			return errMoved
		}
		return context.Cause(ctx)
	}
	w.mu.Lock()
	w.stats.Full = false
	w.mu.Unlock()
	for part := range 1 + len(warmOrders) {
		for o := range open {
			if o.Seg.Remote() || done[o]&(1<<part) != 0 {
				continue
			}
			var did segment.Warmed
			var err error
			if part == 0 {
				did, err = o.Seg.WarmTerms(ctx, between)
			} else {
				did, err = o.Seg.WarmOrder(ctx, warmOrders[part-1], between)
			}
			w.note(did)
			switch {
			case err == nil && did.Left > 0:
				if did.Full {
					return nil
				}
				// The part is done again when segments have gone.
			case err == nil:
				done[o] |= 1 << part
			case ctx.Err() != nil || errors.Is(err, errMoved):
				return err
			default:
				done[o] = ^partSet(0)
				w.db.opt.Logger.Warn("warming failed", "segment", o.Seg.Name(), "error", err)
			}
		}
	}
	return nil
}

// note adds to the statistics.
func (w *warmer) note(did segment.Warmed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stats.Units += int64(did.Units)
	w.stats.Bytes += did.Bytes
	w.stats.Full = w.stats.Full || did.Left > 0
}

func (db *DB) warming() *warmer {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.warmer
}

// WarmStats returns what warming has done: nothing without [Options.Warm].
func (db *DB) WarmStats() WarmStats {
	w := db.warming()
	if w == nil {
		return WarmStats{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stats
}

// Warmed waits until warming has nothing to do, or the database is closed, or ctx
// ends, whose cause it then returns. Without [Options.Warm] it returns at once.
func (db *DB) Warmed(ctx context.Context) error {
	w := db.warming()
	if w == nil {
		return nil
	}
	w.mu.Lock()
	rests := w.rests
	w.mu.Unlock()
	select {
	case <-rests:
	case <-w.ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
