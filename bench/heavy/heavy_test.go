package main

import (
	"testing"
	"time"

	"github.com/rete-go/rete/internal/longtest"
)

// TestHeavy is a short form of the command: queries whose answers are right, or
// that name the budget, while eight clients share little memory.
func TestHeavy(t *testing.T) {
	o := &options{scale: longtest.Pick(5_000, 20_000), clients: 8, time: longtest.Pick(time.Second, 3*time.Second), memory: 24 << 20, dir: t.TempDir()}
	r, err := run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	o.margin = 1 << 40 // the resident memory of a test says little
	if err := r.verdict(o); err != nil {
		t.Error(err)
	}
}
