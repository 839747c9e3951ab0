//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rete-go/rete/server"
)

// logLines is a log that hands out its lines.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// TestHangup: a SIGHUP makes a server read its tokens again; a file that is wrong is
// told in the log.
func TestHangup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(fmt.Sprintf("ann read %x\n", sha256.Sum256([]byte("a"))))
	tokens, err := server.OpenTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	log := make(logLines, 10)
	stop := rereadTokens(tokens, slog.New(slog.NewTextHandler(log, nil)))
	defer stop()
	for _, c := range []struct{ text, want string }{
		{fmt.Sprintf("ann write %x\n", sha256.Sum256([]byte("b"))), "tokens were read again"},
		{"nonsense", "tokens were not read again"},
	} {
		write(c.text)
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if line := <-log; !strings.Contains(line, c.want) {
			t.Errorf("%q, want %q", line, c.want)
		}
	}
}
