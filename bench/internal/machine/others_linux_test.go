package machine

import (
	"os/exec"
	"testing"
	"time"
)

// What this process does, and a child once it was waited for, is its own; a child that still runs is
// another program.
func TestOthers(t *testing.T) {
	if busyTime() == 0 {
		t.Skip("this system does not tell")
	}
	own := ownTime()
	for ownTime()-own < 50*time.Millisecond {
	}
	other := exec.Command("sh", "-c", "while :; do :; done")
	began, others := time.Now(), Others()
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	for others() == 0 && time.Since(began) < 30*time.Second {
		time.Sleep(50 * time.Millisecond)
	}
	used, before := others(), ownTime()
	other.Process.Kill()
	other.Wait()
	if used == 0 {
		t.Error("a process beside this one was not seen")
	}
	if ownTime() == before {
		t.Error("the time of a child that ended is not that of this process")
	}
}
