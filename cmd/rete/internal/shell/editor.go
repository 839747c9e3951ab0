package shell

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"
)

// editor reads statements from the terminal.
type editor struct{ rl *readline.Shell }

// newEditor returns the editor of the session, with its history and completion. Keys are those
// of the user's inputrc.
func (s *shell) newEditor(ctx context.Context) *editor {
	rl := readline.NewShell(inputrc.WithApp("rete"))
	// The variables are there. A terminal that does not answer where its cursor is would block.
	_ = rl.Config.Set("completion-ignore-case", true)
	_ = rl.Config.Set("cursor-position-probe", false)
	rl.Prompt.Primary(s.prompt)
	rl.Prompt.Secondary(func() string { return "  … " })
	rl.AcceptMultiline = func(line []rune) bool { return complete(string(line), s.parseOptions()) }
	rl.Completer = func(line []rune, cursor int) readline.Completions { return s.offer(ctx, string(line[:cursor])) }
	if s.History != "" {
		if err := addHistory(rl, s.History); err != nil {
			s.note("no history is kept: %s", err)
		}
	}
	return &editor{rl}
}

// prompt is that of a statement: the name of the graph, and what differs from its newest state.
func (s *shell) prompt() string {
	name := s.Name
	switch {
	case s.tx != nil:
		name += "*"
	case s.at >= 0:
		name += " at " + s.generation()
	}
	return name + "> "
}

// addHistory adds the file of the history, which is made if it is not there.
func addHistory(rl *readline.Shell, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	h, err := readline.NewHistoryFromFile(file)
	if err != nil {
		return err
	}
	rl.History.Delete() // the one in memory
	rl.History.Add("rete", h)
	return nil
}

// read reads a statement. Ctrl-C is errInterrupt, Ctrl-D [io.EOF].
func (e *editor) read() (string, error) {
	text, err := e.rl.Readline()
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", errInterrupt
	case errors.Is(err, io.EOF):
		return "", io.EOF
	}
	return text, err
}

// offer returns the completions at the cursor as the editor takes them.
func (s *shell) offer(ctx context.Context, text string) readline.Completions {
	from, list := s.completions(ctx, text)
	word := text[from:]
	var values []readline.Completion
	for _, c := range list {
		values = append(values, readline.Completion{Value: c.Text, Display: c.Text, Tag: c.Kind})
	}
	out := readline.CompleteRaw(values)
	out.PREFIX = word
	return out
}
