package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/bench/sets"
)

// counting is an engine that keeps what it is asked.
type counting struct {
	engine
	title string
	rows  int // of every answer
	texts []string
}

func (c *counting) name() string { return c.title }

func (c *counting) query(_ context.Context, r *query, _ bool) (time.Duration, *answer, error) {
	c.texts = append(c.texts, r.text)
	if r.update {
		return 3 * time.Millisecond, nil, nil
	}
	return time.Millisecond, &answer{rows: c.rows}, nil
}

// Engines get the same requests in the same order, no two updates alike, and other rows are told.
func TestMix(t *testing.T) {
	set, err := sets.Named("products", 5000, "")
	if err != nil {
		t.Fatal(err)
	}
	o := &options{warm: 1, runs: 2, seed: 1, limit: time.Minute}
	a, b := &counting{title: "a", rows: 1}, &counting{title: "b", rows: 2}
	var out strings.Builder
	if err := runMix(t.Context(), &out, []engine{a, b}, set, o); err != nil {
		t.Fatal(err)
	}
	if strings.Join(a.texts, "\n") != strings.Join(b.texts, "\n") || len(a.texts) != 3*len(set.Mix) {
		t.Errorf("%d and %d requests", len(a.texts), len(b.texts))
	}
	seen := make(map[string]bool)
	for _, text := range a.texts {
		if strings.Contains(text, "INSERT DATA") {
			if seen[text] {
				t.Error("an update comes twice")
			}
			seen[text] = true
		}
	}
	// 25 queries and 5 updates take 40 ms; the rows of the 21 that are no descriptions are counted, in three rounds
	if got := out.String(); !strings.Contains(got, "| a | 90000 | 40ms | 1ms | 3ms | 63 |") || !strings.Contains(got, "| b | 90000 | 40ms | 1ms | 3ms | 126, other rows |") {
		t.Error(got)
	}
	if set, err = sets.Named("paths", 5000, ""); err != nil {
		t.Fatal(err)
	}
	if err := runMix(t.Context(), &out, nil, set, o); err == nil {
		t.Error("a set without a mix has one")
	}
}
