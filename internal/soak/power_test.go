package main

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/powercut"
)

// canRecord skips a test where system calls cannot be recorded.
func canRecord(t *testing.T) {
	t.Helper()
	if err := powercut.Available(t.Context()); err != nil {
		t.Skipf("the power cannot be cut here: %v", err)
	}
}

// Some cuts of a short work, in the long form many of a longer one.
func TestPower(t *testing.T) {
	canRecord(t)
	ctx, c := setup(t, 6)
	result, err := cutPower(ctx, &powerOptions{common: c, clients: 3, requests: longtest.Pick(15, 60), lives: longtest.Pick(2, 4), cuts: longtest.Pick(60, 5000), again: longtest.Pick(20, 50)})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(result)
	if result.Acknowledged < 20 || result.Open == 0 || longtest.On() && result.Torn == 0 {
		t.Error("little happened")
	}
}

// TestPowerFindsMissingSyncs: a disk that loses the syncs of files, or of folders, loses
// what was acknowledged, and that is found.
func TestPowerFindsMissingSyncs(t *testing.T) {
	canRecord(t)
	ctx, c := setup(t, 7)
	p, err := recordPower(ctx, &powerOptions{common: c, clients: 2, requests: 5, lives: 1, cuts: 100})
	if err != nil {
		t.Fatal(err)
	}
	for name, lost := range map[string]func(*powercut.Call) bool{
		"files":       func(c *powercut.Call) bool { return c.Name == "fsync" && !strings.HasSuffix(c.File(), "/power") },
		"the journal": func(c *powercut.Call) bool { return c.Name == "fsync" && strings.HasSuffix(c.File(), ".changes") },
		"names":       func(c *powercut.Call) bool { return c.Name == "fsync" && strings.HasSuffix(c.File(), "/power") },
	} {
		p.lost = lost
		if err := p.cut(ctx); err == nil {
			t.Errorf("without the syncs of %s nothing is lost: %s", name, &p.result)
		} else {
			t.Logf("without the syncs of %s: %.500v", name, err)
		}
	}
}
