package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// startTime is how long a server may take until it says where it listens.
const startTime = time.Minute

// buildProgram builds the program of a package of this module into a folder.
func buildProgram(ctx context.Context, dir, pkg string) (string, error) {
	name, err := filepath.Abs(filepath.Join(dir, path.Base(pkg)+"-under-test"))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", name, "github.com/rete-go/rete/"+pkg)
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return name, nil
}

// process is a server.
type process struct {
	cmd    *exec.Cmd
	logs   string        // what the names of the files of its output begin with
	ended  chan struct{} // closed when it has
	err    error         // how it ended
	client *client
}

// serverCommand is `rete serve` on a free port of this machine.
func serverCommand(rete, manifest string, args ...string) *exec.Cmd {
	return exec.Command(rete, append([]string{"serve", manifest, "--bind", "127.0.0.1:0", "--log", "off"}, args...)...)
}

// launch starts a server without waiting for anything. Its output goes to files with
// names that begin with logs, so that waiting for its end waits for nothing else.
func launch(cmd *exec.Cmd, logs string) (*process, error) {
	p := &process{cmd: cmd, logs: logs, ended: make(chan struct{})}
	stdout, err := os.Create(logs + ".stdout")
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	stderr, err := os.OpenFile(logs+".stderr", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// serve starts a server and waits until it listens.
func serve(ctx context.Context, rete, manifest string, args ...string) (*process, error) {
	return begin(ctx, serverCommand(rete, manifest, args...), manifest)
}

// begin is launch, and waits until the server listens.
func begin(ctx context.Context, cmd *exec.Cmd, logs string) (*process, error) {
	p, err := launch(cmd, logs)
	if err == nil {
		err = p.listen(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// listen waits until the server listens; if it does not, it is ended.
func (p *process) listen(ctx context.Context) error {
	late := time.After(startTime)
	for {
		text, err := os.ReadFile(p.logs + ".stdout")
		if line, _, whole := bytes.Cut(text, []byte("\n")); err == nil && whole {
			p.client = newClient(string(line))
			return nil
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-p.ended:
			log, _ := os.ReadFile(p.logs + ".stderr")
			return fmt.Errorf("the server does not start: %v\n%s", p.err, lastLines(string(log), 20))
		case <-late:
			p.kill()
			return errors.New("the server does not say where it listens")
		case <-ctx.Done():
			p.kill()
			return ctx.Err()
		}
	}
}

// kill ends the server as a crash does, and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.ended
	if p.client != nil {
		p.client.close()
	}
}

// stop asks the server to end, and waits for it.
func (p *process) stop() error {
	if p.client != nil {
		p.client.close()
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.kill()
		return err
	}
	select {
	case <-p.ended:
		return p.err
	case <-time.After(startTime):
		p.kill()
		return errors.New("the server does not stop")
	}
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
