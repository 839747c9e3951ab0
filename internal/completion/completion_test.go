package completion_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/completion"
)

const ex = "http://example.org/"

func data(t *testing.T) dataset.Dataset {
	t.Helper()
	db, err := rete.Create(t.Context(), filepath.Join(t.TempDir(), "g.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Update(t.Context(), "PREFIX ex: <"+ex+"> INSERT DATA { ex:ann a ex:Person ; ex:name 'Ann' }"); err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { snap.Close() })
	return snap.Dataset()
}

// TestAt: what is offered at the end of a text, where its word begins, and by which prefixes.
func TestAt(t *testing.T) {
	ds := data(t)
	s := &completion.Source{Prefixes: map[string]string{"ex": ex}, Words: new(completion.Words),
		Data: func(_ context.Context, use func(dataset.Dataset) error) error { return use(ds) }}
	for _, c := range []struct {
		text, word string
		want       completion.Candidate
	}{
		{"sel", "sel", completion.Candidate{Text: "SELECT", Kind: "keyword"}},
		{"SELECT * { ?s a ", "", completion.Candidate{Text: "ex:Person", Kind: "class"}},
		{"SELECT * { ?s ex:n", "ex:n", completion.Candidate{Text: "ex:name", Kind: "term"}},
		{"SELECT * { ?s e", "e", completion.Candidate{Text: "ex:name", Kind: "predicate"}},
		{"PREFIX my: <" + ex + ">\nSELECT * { my:a", "my:a", completion.Candidate{Text: "my:ann", Kind: "term"}},
		{"prefix my:<" + ex + "> SELECT * { m", "m", completion.Candidate{Text: "my:", Kind: "prefix"}},
		{"SELECT * { ?who ?p ?w", "?w", completion.Candidate{Text: "?who", Kind: "variable"}},
		{"SELECT * { <" + ex + "an", "<" + ex + "an", completion.Candidate{Text: "<" + ex + "ann>", Kind: "term"}},
	} {
		from, list := s.At(t.Context(), c.text)
		if c.text[from:] != c.word || !slices.Contains(list, c.want) {
			t.Errorf("%q: after %q %v, want %v", c.text, c.text[from:], list, c.want)
		}
	}
}

// TestFailing: keywords are offered where the data cannot be read.
func TestFailing(t *testing.T) {
	s := &completion.Source{Words: new(completion.Words), Data: func(context.Context, func(dataset.Dataset) error) error { return errors.New("no") }}
	if _, list := s.At(t.Context(), "ASK { ?s a "); len(list) != 0 {
		t.Errorf("classes of nothing: %v", list)
	}
	if _, list := s.At(t.Context(), "as"); !slices.Contains(list, completion.Candidate{Text: "ASK", Kind: "keyword"}) {
		t.Errorf("keywords: %v", list)
	}
}

// unreadable is a dataset that cannot be counted: that fails, or goes on until the caller gives up.
type unreadable struct {
	dataset.Dataset
	times   int
	started chan struct{} // nil: it fails
}

func (u *unreadable) Count(ctx context.Context, _ dataset.Pattern) (uint64, error) {
	u.times++
	if u.started == nil {
		return 0, errors.New("cannot be counted")
	}
	close(u.started)
	<-ctx.Done()
	return 0, ctx.Err()
}

// TestUncounted: a state that cannot be counted is tried once; who waits for another's count can give up.
func TestUncounted(t *testing.T) {
	ds := data(t)
	var w completion.Words
	failing := &unreadable{Dataset: ds}
	for range 3 {
		if classes, predicates := w.Of(t.Context(), failing); len(classes)+len(predicates) > 0 || failing.times != 1 {
			t.Errorf("%v %v, counted %d times", classes, predicates, failing.times)
		}
	}
	var other completion.Words
	slow := &unreadable{Dataset: ds, started: make(chan struct{})}
	counting, giveUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		other.Of(counting, slow)
	}()
	<-slow.started
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	other.Of(gone, ds) // it does not wait
	giveUp()
	<-done
	if classes, _ := other.Of(t.Context(), ds); len(classes) != 1 {
		t.Errorf("after one who gave up: %v", classes)
	}
}
