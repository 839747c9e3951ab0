package engine_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
)

// killEnv gives the child of [TestKill] its directory and the seed of its script.
const killEnv = "RETE_TEST_KILL"

// killScript is what the child does, and what is visible after each step.
func killScript(seed uint64) *script { return newScript(rand.New(rand.NewPCG(seed, 21)), 40) }

// TestKillChild is the process that is killed: it makes its steps, and tells of each
// one that was acknowledged.
func TestKillChild(t *testing.T) {
	where := os.Getenv(killEnv)
	if where == "" {
		t.Skip("only as a child of TestKill")
	}
	seed, err := strconv.ParseUint(filepath.Ext(where)[1:], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(t.Context(), filepath.Join(where, manifestName), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go db.Maintain(ctx, &engine.MaintainOptions{SealChanges: 20, Fanout: 3, Every: 1e6})
	for i, step := range killScript(seed).steps {
		if err := step(t.Context(), db); err != nil && !errors.Is(err, engine.ErrConflict) {
			t.Fatal(err)
		}
		fmt.Println("acknowledged", i)
	}
}

// A process that writes, seals, adds and compacts is killed at some moment, again
// and again: what it had acknowledged is there, and no step is there by half.
func TestKill(t *testing.T) {
	rounds := longtest.Pick(6, 40)
	r := rand.New(rand.NewPCG(8, 8))
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("run.%d", round))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, manifestName)
		db, err := engine.Init(t.Context(), name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		db.Close()
		child := exec.Command(os.Args[0], "-test.timeout=3m", "-test.run=^TestKillChild$")
		child.Env = append(os.Environ(), killEnv+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		s := killScript(uint64(round))
		last, stop := 0, r.IntN(len(s.steps))
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var i int
			if _, err := fmt.Sscanf(lines.Text(), "acknowledged %d", &i); err != nil {
				continue
			}
			if last = i + 1; last > stop {
				child.Process.Kill() // and what it still says is read to the end
			}
		}
		child.Wait()
		s.checkDisk(t, name, s.sets[last:min(last+1, len(s.steps))+1], fmt.Sprintf("round %d, %d steps acknowledged", round, last))
	}
}

func (s *script) checkDisk(t *testing.T, name string, want []model.Set, label string) {
	t.Helper()
	for _, o := range []*engine.Options{{ReadOnly: true}, {Writer: true}} {
		db, err := engine.Open(t.Context(), name, o)
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		snap, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", label, err)
		}
		if got := visible(t, snap); !is(got, want) {
			t.Fatalf("%s: %v, want %v", label, got, want)
		}
		snap.Close()
		closeDB(t, db)
	}
	if r, err := engine.Check(t.Context(), name, nil, nil); err != nil || !r.OK {
		t.Fatalf("%s: %+v, %v", label, r, err)
	}
}
