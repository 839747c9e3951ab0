// Package shell is the loop of `rete shell`: it reads statements of SPARQL and commands that
// begin with a dot, from a terminal with history and completion, or from a script, and
// shows their answers.
package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/completion"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/sparql"
)

// Config is what a shell works on, and with.
type Config struct {
	Name string // of the graph, in the prompt
	// Open opens the graph: once to read, and for each transaction.
	Open func(ctx context.Context) (*rete.DB, error)
	// Update carries an update out, outside of a transaction, and returns how many quads it changed.
	Update func(ctx context.Context, text string, prefixes map[string]string) (int, error)
	// Command runs another command of the program on the graph, such as log.
	Command func(ctx context.Context, args ...string) error
	// Generation returns the number of a generation as people name it.
	Generation func(ctx context.Context, db *rete.DB, text string) (int64, error)
	// Interrupt sets what Ctrl-C calls; nil gives it back to the program.
	Interrupt func(f func())
	// File writes to a file, which appears only when it is whole.
	File func(name string, write func(io.Writer) error) error
	// Excerpt returns the line that an error is about, with a caret below it.
	Excerpt func(err error) string

	In       io.Reader // of a script
	Terminal bool      // statements are read from the terminal of the process
	History  string    // file of the statements; empty: none
	Output   show.Output
	Err      io.Writer // remarks
	Quiet    bool      // none of them

	// Prefixes need not be declared, nor those of the graph, nor, unless Parse.Strict, well-known ones.
	Prefixes map[string]string
	Parse    sparql.ParseOptions
	Query    []sparql.Option
	Memory   int64 // of statistics
}

// shell is a session.
type shell struct {
	Config
	declared prefixes.Set // given, of the graph and of statements: documents are written with them
	known    prefixes.Set // these and well-known ones
	db       *rete.DB
	at       int64 // the generation that is queried; engine.Now
	tx       *transaction

	format string // of answers; empty: what suits
	timer  bool
	last   string // the previous query

	words *completion.Words // of the data, for completion
	quit  bool
}

// Run reads statements and runs them until their end. On a terminal an error is shown and the
// next statement is read; of a script it is the error of Run, with the line.
func Run(ctx context.Context, c Config) error {
	s := &shell{Config: c, at: engine.Now, words: &completion.Words{}}
	var err error
	if s.db, err = c.Open(ctx); err != nil {
		return err
	}
	defer s.db.Close()
	stored, err := s.db.Prefixes(ctx)
	if err != nil {
		return err
	}
	s.declare(prefixes.Set(c.Prefixes).Over(stored))
	if c.Terminal {
		err = s.interactive(ctx)
	} else {
		err = s.script(ctx)
	}
	if s.tx != nil {
		s.rollback()
		s.note("the transaction was rolled back")
		if err == nil && !c.Terminal {
			err = errors.New("the script ends in a transaction, which was rolled back; .commit keeps it")
		}
	}
	return err
}

// declare adds prefixes that statements need not declare.
func (s *shell) declare(set prefixes.Set) {
	s.declared = set.Over(s.declared)
	s.known = s.declared
	if !s.Parse.Strict {
		s.known = s.declared.Over(sparql.WellKnownPrefixes())
	}
}

// script reads statements from a stream.
func (s *shell) script(ctx context.Context) error {
	r := &reader{r: bufio.NewReader(s.In), options: s.parseOptions}
	for !s.quit {
		text, line, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.run(ctx, text)
		}
		if err != nil {
			return fmt.Errorf("standard input, statement at line %d: %w", line, err)
		}
	}
	return nil
}

// interactive reads statements from the terminal. Ctrl-C ends a query; Ctrl-D and .quit the shell.
func (s *shell) interactive(ctx context.Context) error {
	s.note("%s; .help tells what there is, Ctrl-D ends the shell", s.Name)
	editor := s.newEditor(ctx)
	defer s.learn(ctx)()
	for !s.quit {
		err := s.turn(ctx, editor)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// turn reads a statement and runs it. Only what ends the shell is an error, [io.EOF] Ctrl-D.
func (s *shell) turn(ctx context.Context, editor *editor) error {
	// Ctrl-C is a key while the editor reads, and a signal from its end on.
	query, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.Interrupt(func() { cancel(errInterrupt) })
	text, err := editor.read()
	switch {
	case errors.Is(err, errInterrupt):
		return nil
	case err != nil:
		return err
	}
	err = s.run(query, text)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && errors.Is(context.Cause(query), errInterrupt):
		s.say("interrupted")
	case err != nil:
		s.fail(err)
	}
	return nil
}

// generation is the number of the generation of .at.
func (s *shell) generation() string { return strconv.FormatInt(s.at, 10) }

// errInterrupt is Ctrl-C.
var errInterrupt = errors.New("interrupted")

// fail shows an error.
func (s *shell) fail(err error) {
	s.say("error: %s", err)
	if text := s.Excerpt(err); text != "" {
		s.say("%s", text)
	}
}

// say writes a line for people.
func (s *shell) say(format string, args ...any) {
	fmt.Fprintln(s.Err, display.CleanLines(fmt.Sprintf(format, args...)))
}

// note is say of what --quiet leaves out.
func (s *shell) note(format string, args ...any) {
	if !s.Quiet {
		s.say(format, args...)
	}
}
