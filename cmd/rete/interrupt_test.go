package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/storetest"
)

// TestInterruptedTending interrupts seals, compactions and reverts at random moments,
// with blanks and other letters in all names: what a command says of the generation
// is so, and the quads stay.
func TestInterruptedTending(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted by another there")
	}
	dir := filepath.Join(t.TempDir(), "a place, ü 图")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	const manifest = "mein Graph é.rete-manifest.json"
	run := func(args ...string) []byte {
		t.Helper()
		out, err := command(t, dir, args...).Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	state := func() (s struct{ Generation, Unsealed, Visible int64 }) {
		t.Helper()
		var raw struct {
			Generation int64 `json:"generation"`
			Unsealed   int64 `json:"unsealed"`
			Visible    int64 `json:"visible_quads"`
		}
		if err := json.Unmarshal(run("manifest", "status", manifest, "--json", "--count"), &raw); err != nil {
			t.Fatal(err)
		}
		s.Generation, s.Unsealed, s.Visible = raw.Generation, raw.Unsealed, raw.Visible
		return s
	}
	run("manifest", "init", manifest, "--empty", "--name", "g")
	r := rand.New(rand.NewPCG(1, 2))
	told := map[string]int{}
	for i := range longtest.Pick(12, 24) {
		run("update", manifest, fmt.Sprintf("INSERT DATA { <http://ex/%d> <http://ex/p> %d }", i, i))
		before := state()
		cmd := command(t, dir, "manifest", []string{"seal", "compact"}[i%2], manifest, "--quiet")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(120)) * time.Millisecond)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Log(err) // it has ended
		}
		err := cmd.Wait()
		after := state()
		moved := after.Generation - before.Generation
		switch text := out.String() + errs.String(); {
		case strings.Contains(text, ": committed generation"):
			told["committed"]++
			if err != nil || moved != 1 {
				t.Errorf("round %d: %v, generation %d, it was %d: %s", i, err, after.Generation, before.Generation, text)
			}
		case strings.Contains(text, "nothing was committed"), strings.Contains(text, "nothing to commit"), strings.Contains(text, "in the journal, which"), text == "":
			told["nothing"]++ // without a text the signal came before it was looked for
			if moved != 0 || after.Unsealed != before.Unsealed {
				t.Errorf("round %d: generation %d, it was %d; %d unsealed, there were %d: %s", i, after.Generation, before.Generation, after.Unsealed, before.Unsealed, text)
			}
		default:
			t.Errorf("round %d: %v: %s", i, err, text)
		}
		if after.Visible != int64(i+1) {
			t.Fatalf("round %d: %d quads", i, after.Visible)
		}
	}
	t.Log(told)
	storetest.Check(t, filepath.Join(dir, manifest), nil)
	run("manifest", "fsck", manifest)
}
