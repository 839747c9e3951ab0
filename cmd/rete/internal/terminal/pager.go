package terminal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"unicode/utf8"
)

// errQuit is the error of writes after the pager ended.
var errQuit = errors.New("the pager has ended")

// heldBytes is how much text that is no page long is held back at most.
const heldBytes = 1 << 20

// Page calls write with a writer whose text goes to the terminal: through a pager if it is
// longer than the terminal is high. A pager that ends early ends write with an error of its
// writer, which Page does not return. wide says that lines may be wider than the terminal.
// Nothing is cleaned (see package display).
func (t *Terminal) Page(wide bool, write func(io.Writer) error) error {
	p := &pages{t: t, wide: wide}
	err := write(p)
	if p.quit && errors.Is(err, errQuit) {
		err = nil
	}
	return errors.Join(err, p.close())
}

// pages holds a text back until it is more than a page long, and then starts the pager.
type pages struct {
	t       *Terminal
	wide    bool
	held    bytes.Buffer
	lines   int // of what is held, as the terminal shows them
	to      io.Writer
	pipe    io.WriteCloser
	pager   *exec.Cmd
	quit    bool
	signals chan os.Signal
}

// Write implements [io.Writer].
func (p *pages) Write(text []byte) (int, error) {
	if p.to == nil {
		p.held.Write(text)
		for line := range bytes.Lines(text) {
			p.lines++
			if !p.wide {
				p.lines += (utf8.RuneCount(line) - 1) / p.t.Columns // it is wrapped
			}
		}
		if p.lines < p.t.Rows && p.held.Len() < heldBytes {
			return len(text), nil
		}
		p.start()
		if err := p.release(); err != nil {
			return 0, err
		}
		return len(text), nil
	}
	return p.write(text)
}

func (p *pages) write(text []byte) (int, error) {
	n, err := p.to.Write(text)
	if err != nil && p.pipe != nil {
		p.quit = true
		return n, errQuit
	}
	return n, err
}

func (p *pages) release() error {
	_, err := p.write(p.held.Bytes())
	p.held.Reset()
	return err
}

// start starts the pager. Without one the text goes to the terminal.
func (p *pages) start() {
	p.to = p.t.File
	cmd := pager(p.wide)
	if cmd == nil {
		return
	}
	cmd.Stdout, cmd.Stderr = p.t.File, os.Stderr
	pipe, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	p.to, p.pipe, p.pager = pipe, pipe, cmd
	// Ctrl-C is for the pager while there is one: the program stays until it ends.
	p.signals = make(chan os.Signal, 1)
	signal.Notify(p.signals, os.Interrupt)
}

// close hands on what is held and waits for the end of the pager.
func (p *pages) close() error {
	if p.to == nil {
		p.to = p.t.File
		return p.release()
	}
	if p.pager == nil {
		return nil
	}
	_ = p.pipe.Close()
	_ = p.pager.Wait() // how it ended is its own matter
	signal.Stop(p.signals)
	return nil
}

// pager returns the command of PAGER, or of the pager that is there; nil for none.
func pager(wide bool) *exec.Cmd {
	words, set := os.LookupEnv("PAGER")
	words = strings.TrimSpace(words)
	if set && (words == "" || words == "cat") {
		return nil
	}
	if !set {
		words = "less"
		if _, err := exec.LookPath(words); err != nil {
			words = "more"
		}
	}
	cmd := exec.Command("sh", "-c", words)
	if runtime.GOOS == "windows" {
		fields := strings.Fields(words)
		cmd = exec.Command(fields[0], fields[1:]...)
	} else if first := strings.Fields(words)[0]; !strings.Contains(first, "=") {
		if _, err := exec.LookPath(first); err != nil {
			return nil
		}
	}
	cmd.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		options := "LESS=RFX"
		if wide {
			options += "S" // lines go on to the right
		}
		cmd.Env = append(cmd.Env, options)
	}
	return cmd
}
