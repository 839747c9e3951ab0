package control

import (
	"context"
	"errors"
	"os"
	"testing"
)

// TestInterruptedSpool: input that is copied for a server ends with an interrupt,
// however long it is.
func TestInterruptedSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	reads := 0
	in := readerFunc(func(p []byte) (int, error) {
		if reads++; reads > 1000 {
			cancel()
		}
		return copy(p, "<s> <p> <o> .\n"), nil
	})
	if _, _, err := spoolInput(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if list, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(list) > 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
