package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/rete-go/rete/engine"
)

// counterOptions are the choices of the common counter.
type counterOptions struct {
	*common
	clients, each int
}

// count has clients add 1 to one counter together, over HTTP, while the server seals
// and compacts. None of their steps may be lost, and a reader never sees the
// counter go back.
func count(ctx context.Context, o *counterOptions) error {
	manifest := filepath.Join(o.dir, "counter.rete-manifest.json")
	db, err := engine.Init(ctx, manifest, nil, nil)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	p, err := serve(ctx, o.rete, manifest, "--seal-changes", "500", "--fanout", "3")
	if err != nil {
		return err
	}
	defer p.kill()
	if err := p.client.update(ctx, prologue+"INSERT DATA { :counter :is 0 }"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := time.Now()
	var w, watching sync.WaitGroup
	for range o.clients {
		w.Go(func() {
			for range o.each {
				if err := p.client.update(ctx, prologue+"DELETE { :counter :is ?n } INSERT { :counter :is ?m } WHERE { :counter :is ?n BIND(?n + 1 AS ?m) }"); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	reads := 0
	watching.Go(func() {
		last := 0
		for {
			select {
			case <-done:
				return
			default:
			}
			n, err := readCounter(ctx, p.client)
			if err == nil && n < last {
				err = fmt.Errorf("a reader sees %d after %d", n, last)
			}
			if err != nil {
				cancel(err)
				return
			}
			last = n
			reads++
		}
	})
	w.Wait()
	took := time.Since(begin)
	close(done)
	watching.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	n, err := readCounter(ctx, p.client)
	if err != nil {
		return err
	}
	if want := o.clients * o.each; n != want {
		return fmt.Errorf("the counter is at %d, want %d", n, want)
	}
	fmt.Fprintf(o.out, "%d steps of %d clients: %.0f a second, %d reads\n", n, o.clients, float64(n)/took.Seconds(), reads)
	return p.stop()
}

func readCounter(ctx context.Context, c *client) (n int, err error) {
	rows, err := c.query(ctx, prologue+"SELECT ?n { :counter :is ?n }")
	if err != nil {
		return 0, err
	}
	if len(rows) != 1 {
		return 0, fmt.Errorf("the counter has the values %q", rows)
	}
	_, err = fmt.Sscan(rows[0][0], &n)
	return n, err
}
