package manifest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/manifesttest"
)

// objects is a store with conditions that hold: what the writers of a schedule share.
type objects struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (o *objects) get(name string) ([]byte, string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, ok := o.data[name]
	if !ok {
		return nil, "", fmt.Errorf("%s: %w", name, blob.ErrNotFound)
	}
	return b, validatorOf(b), nil
}

func (o *objects) put(name string, data []byte, cond blob.Cond) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	old, ok := o.data[name]
	switch {
	case cond.Absent() && ok:
		return blob.ErrExists
	case cond.Match() != "" && (!ok || validatorOf(old) != cond.Match()):
		return blob.ErrConditionFailed
	}
	o.data[name] = bytes.Clone(data)
	return nil
}

func validatorOf(b []byte) string { return fmt.Sprintf(`"%x"`, blake3.Sum256(b)) }

// line is one writer's way to the objects, with what goes wrong on it.
type line struct {
	to    *objects
	fault func(write bool) fault // of each request, one after the other; nil: none
	late  sync.WaitGroup

	mu       sync.Mutex // an archive is made beside what comes next
	requests int
	dead     bool // the writer has crashed
}

type fault struct {
	kind  string // see line.Put
	after time.Duration
}

var errCrash = errors.New("the writer is dead")

func (l *line) next(name string, write bool) fault {
	if strings.Contains(name, ".probe-") || l.fault == nil {
		return fault{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	return l.fault(write)
}

func (l *line) made() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests
}

func (l *line) isDead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

func (l *line) lives(again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = !again
}

func (l *line) Put(_ context.Context, name string, data []byte, cond blob.Cond) (string, error) {
	if l.isDead() {
		return "", errCrash
	}
	f := l.next(name, true)
	put := func() error { return l.to.put(name, data, cond) }
	switch f.kind {
	case "drop request":
		return "", blob.ErrUnknownOutcome
	case "drop reply":
		put()
		return "", blob.ErrUnknownOutcome
	case "late":
		l.late.Go(func() {
			time.Sleep(f.after)
			put()
		})
		return "", blob.ErrUnknownOutcome
	case "busy":
		return "", blob.ErrBusy
	case "crash before":
		l.lives(false)
		return "", errCrash
	case "crash after":
		put()
		l.lives(false)
		return "", errCrash
	case "crash, late":
		l.late.Go(func() {
			time.Sleep(f.after)
			put()
		})
		l.lives(false)
		return "", errCrash
	case "delay":
		time.Sleep(f.after)
	}
	if err := put(); err != nil {
		return "", err
	}
	return validatorOf(data), nil
}

func (l *line) ReadAll(_ context.Context, name string, _ int64) ([]byte, string, error) {
	if l.isDead() {
		return nil, "", errCrash
	}
	switch f := l.next(name, false); f.kind {
	case "drop request", "drop reply":
		return nil, "", io.ErrUnexpectedEOF
	case "crash before", "crash after", "crash, late":
		l.lives(false)
		return nil, "", errCrash
	case "delay":
		time.Sleep(f.after)
	}
	return l.to.get(name)
}

func (l *line) Open(_ context.Context, name string) (blob.Object, error) {
	b, _, err := l.to.get(name)
	if err != nil {
		return nil, err
	}
	return blob.Bytes(name, b), nil
}

func (l *line) Remove(_ context.Context, name string) error {
	l.to.mu.Lock()
	defer l.to.mu.Unlock()
	delete(l.to.data, name)
	return nil
}

func (l *line) Create(context.Context, string) (blob.Writer, error) {
	return nil, errors.ErrUnsupported
}

func (l *line) List(context.Context, string) ([]blob.Info, error) { return nil, errors.ErrUnsupported }

func (l *line) open(t *testing.T) *manifest.File {
	t.Helper()
	f, err := manifest.Open("cloud://host/"+manifestName, blob.MuxOptions{Schemes: map[string]blob.Store{"cloud": l}})
	if err != nil {
		t.Error(err)
	}
	return f
}

// appends makes an entry whose name is the number of the change.
func appends(n int) manifest.Change {
	return func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		cur.Log = append(cur.Log, manifest.Entry{Adds: named(fmt.Sprint(n))})
		return cur, nil
	}
}

func named(url string) *manifest.SegmentRef {
	return &manifest.SegmentRef{FileRef: manifest.FileRef{URL: url, Size: 1}}
}

// merges makes one entry of two, which it has chosen once and which must be there still.
func merges(at int) manifest.Change {
	var pair []manifest.Entry
	return func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		if len(cur.Log) < 2 {
			return nil, nil
		}
		if pair == nil {
			at %= len(cur.Log) - 1
			pair = slices.Clone(cur.Log[at : at+2])
		}
		for i := 0; i+2 <= len(cur.Log); i++ {
			if pair[0].Same(cur.Log[i]) && pair[1].Same(cur.Log[i+1]) {
				merged := manifest.Entry{Adds: named(pair[0].Adds.URL + "+" + pair[1].Adds.URL)}
				cur.Log = slices.Replace(cur.Log, i, i+2, merged)
				return cur, nil
			}
		}
		return nil, manifest.ErrConflict
	}
}

// changesOf counts the changes in the log.
func changesOf(m *manifest.Manifest) map[string]int {
	out := map[string]int{}
	for _, e := range m.Log {
		for _, n := range strings.Split(e.Adds.URL, "+") {
			out[n]++
		}
	}
	return out
}

// Writers append and merge while requests and replies are lost, come late, are refused, and
// writers crash: what was acknowledged is in the log once, what has failed is not, and what is
// unknown is there once or not at all; every generation is archived, and pinned by the next.
func TestSchedules(t *testing.T) {
	for seed := range longtest.Pick(40, 2000) {
		synctest.Test(t, func(t *testing.T) { schedule(t, uint64(seed)) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func schedule(t *testing.T, seed uint64) {
	const writers, each = 4, 8
	store := &objects{data: map[string][]byte{}}
	calm := &line{to: store}
	if _, err := calm.open(t).Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		t.Fatal(err)
	}
	kinds := []string{"drop request", "drop reply", "late", "busy", "delay"}
	results := make([]error, writers*each)
	isAppend := make([]bool, writers*each)
	lines := make([]*line, writers)
	var all sync.WaitGroup
	for w := range writers {
		rng := rand.New(rand.NewPCG(seed, uint64(w)))
		lines[w] = &line{to: store, fault: func(bool) fault {
			f := fault{after: time.Duration(rng.IntN(5000)) * time.Millisecond}
			switch n := rng.IntN(100); {
			case n < 40:
				f.kind = kinds[rng.IntN(len(kinds))]
			case n < 42:
				f.kind = []string{"crash before", "crash after", "crash, late"}[rng.IntN(3)]
			}
			return f
		}}
		all.Go(func() {
			f, chosen := lines[w].open(t), rand.New(rand.NewPCG(seed, writers+uint64(w)))
			for i := range each {
				if lines[w].isDead() { // the next life
					f.Finish()
					lines[w].lives(true)
					f = lines[w].open(t)
				}
				n := w*each + i
				change := merges(chosen.IntN(10))
				if isAppend[n] = chosen.IntN(4) > 0; isAppend[n] {
					change = appends(n)
				}
				_, results[n] = f.Commit(t.Context(), &manifest.CommitOptions{Attempts: 30}, change)
			}
			f.Finish()
		})
	}
	all.Wait()
	for _, l := range lines {
		l.late.Wait()
	}
	f := calm.open(t)
	m, err := f.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := changesOf(m)
	unknown := 0
	for n, err := range results {
		if !isAppend[n] {
			continue
		}
		open := errors.Is(err, manifest.ErrUnknownOutcome) || errors.Is(err, errCrash)
		if open {
			unknown++
		}
		switch c := found[fmt.Sprint(n)]; {
		case c > 1, c == 0 && err == nil, c == 1 && err != nil && !open:
			t.Errorf("change %d is in the log %d times, its commit: %v", n, c, err)
		}
	}
	manifesttest.CheckHistory(t, f)
	t.Logf("seed %d: generation %d, %d unknown", seed, m.Generation, unknown)
}

// A writer that crashes at each request of a commit, and at each of making a manifest, leaves
// what the next writer goes on from.
func TestCrashAtEachRequest(t *testing.T) {
	for _, kind := range []string{"crash before", "crash after", "crash, late"} {
		for at := 1; ; at++ {
			done := false
			synctest.Test(t, func(t *testing.T) { done = crashAt(t, kind, at) })
			if done || t.Failed() {
				break
			}
		}
	}
}

func crashAt(t *testing.T, kind string, at int) (done bool) {
	store := &objects{data: map[string][]byte{}}
	l := &line{to: store}
	l.fault = func(bool) fault {
		if l.requests == at {
			return fault{kind, time.Second}
		}
		return fault{}
	}
	f := l.open(t)
	made := true
	if _, err := f.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); err != nil {
		made = false
	} else {
		f.Finish()
		_, err = f.Commit(t.Context(), nil, appends(1))
		done = err == nil && l.made() < at
	}
	f.Finish()
	l.late.Wait()
	calm := &line{to: store}
	next := calm.open(t)
	if _, err := next.Init(t.Context(), nil, &manifest.Manifest{Name: "g"}); made && !errors.Is(err, blob.ErrExists) || err != nil && !errors.Is(err, blob.ErrExists) {
		t.Errorf("%s at request %d: %v", kind, at, err)
	}
	if _, err := next.Commit(t.Context(), nil, appends(2)); err != nil {
		t.Errorf("%s at request %d: %v", kind, at, err)
	}
	m, err := next.Read(t.Context())
	if err != nil || changesOf(m)["2"] != 1 || changesOf(m)["1"] > 1 {
		t.Errorf("%s at request %d: %v, %v", kind, at, m, err)
	}
	next.Finish()
	manifesttest.CheckHistory(t, next)
	return done
}
