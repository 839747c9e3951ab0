package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The kinds of what the probe takes the time of.
const (
	probeSpin = "spin"
	probeSync = "sync"
)

// probe measures the machine while the server runs, ten times a second: fixed work of the
// processor, and an append with a sync. Other programs make both slow, and the server
// with them; then its latency says nothing about the server.
func (l *loader) probe(ctx context.Context) {
	f, err := os.Create(filepath.Join(l.dir, "probe"))
	if err != nil {
		return // no probe: the latency counts as it is
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for ctx.Err() == nil {
		begin := time.Now()
		sum := sha256.Sum256(block)
		spun := time.Now()
		_, err := f.Write(sum[:])
		if err = errors.Join(err, f.Sync()); err != nil {
			return
		}
		synced := time.Now()
		l.mu.Lock()
		l.took[probeSpin] = append(l.took[probeSpin], float64(spun.Sub(begin))/1e6)
		l.took[probeSync] = append(l.took[probeSync], float64(synced.Sub(spun))/1e6)
		l.mu.Unlock()
		pause(ctx, 100*time.Millisecond)
	}
}

// leastSamples is how many samples it takes to compare thirds of them.
const leastSamples = 12

// leastAnswered is how many samples of a third must have a request of a kind, so that its
// latency is compared.
const leastAnswered = 8

// verify compares the last third of the samples with the first, by medians: memory,
// goroutines and files may not have grown by more than half, nor what the processor
// does for a request. Latency may not have doubled, by the quiet quarter of each
// third, beyond what the machine itself became slower; a third that has fewer than
// leastAnswered with a request of a kind says nothing of it.
func (r *loadResult) verify() error {
	if !r.settled() {
		return fmt.Errorf("left behind: %s before, %s after", r.idle, r.end)
	}
	n := len(r.samples) / 3
	if len(r.samples) < leastSamples {
		return nil
	}
	early, late := r.samples[:n], r.samples[len(r.samples)-n:]
	var errs []error
	grown := func(what string, limit, slack, part float64, of func(loadSample) float64) {
		if a, b := at(early, part, of), at(late, part, of); b > a*limit+slack {
			errs = append(errs, fmt.Errorf("%s grew from %.2f to %.2f, allowed is %.2f", what, a, b, a*limit+slack))
		}
	}
	grown("the heap", 1.5, 16<<20, 0.5, func(s loadSample) float64 { return s.heap })
	grown("the resident memory", 1.5, 16<<20, 0.5, func(s loadSample) float64 { return s.resident })
	grown("the number of goroutines", 1.5, 4, 0.5, func(s loadSample) float64 { return s.goroutines })
	grown("the number of files", 1.5, 4, 0.5, func(s loadSample) float64 { return s.files })
	grown("the processor's time for a request", 1.5, 0.05, 0.5, func(s loadSample) float64 { return s.cpu })
	slower := 1.0
	for _, of := range []func(loadSample) float64{
		func(s loadSample) float64 { return s.spin }, func(s loadSample) float64 { return s.sync },
	} {
		if a := at(early, 0.25, of); a > 0 {
			slower = max(slower, at(late, 0.25, of)/a)
		}
	}
	for _, k := range loadKinds {
		took := func(s loadSample) float64 { return s.median[k] }
		if early, late = answered(r.samples[:n], took), answered(r.samples[len(r.samples)-n:], took); min(len(early), len(late)) >= leastAnswered {
			grown("the latency of "+k, 2*slower, 1, 0.25, took)
		}
	}
	return errors.Join(errs...)
}

// answered returns the samples in which there was a request of a kind.
func answered(list []loadSample, took func(loadSample) float64) (out []loadSample) {
	for _, s := range list {
		if took(s) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// at is a percentile of a figure over samples.
func at(list []loadSample, part float64, of func(loadSample) float64) float64 {
	var v []float64
	for _, s := range list {
		v = append(v, of(s))
	}
	return percentile(v, part)
}
