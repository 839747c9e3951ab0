package view

import (
	"errors"
	"fmt"

	"github.com/rete-go/rete/internal/closed"
)

// ErrNoGraph: the graph has no visible quad, so it does not exist.
var ErrNoGraph = errors.New("no such graph")

var errTrieClosed = fmt.Errorf("engine: the trie: %w", closed.Err)

var errCursorClosed = fmt.Errorf("engine: the cursor: %w", closed.Err)

// errLacks says that the log of a new view lacks a quad that it must have.
var errLacks = errors.New("engine: the log lacks a quad of the previous one")
