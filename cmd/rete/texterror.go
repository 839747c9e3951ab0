package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rete-go/rete/sparql"
)

// inText puts the name of a text before an error that has a place in it.
func inText(name string, err error) error {
	var syntax *sparql.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return err
}

// remoteError is an error that a server told of, with the line that it is about.
type remoteError struct{ detail, excerpt string }

func (e *remoteError) Error() string { return e.detail }

// excerptOf returns the line that an error is about, with a caret below it; empty if it is
// about none.
func excerptOf(err error) string {
	var (
		syntax *sparql.SyntaxError
		remote *remoteError
	)
	switch {
	case errors.As(err, &syntax):
		return syntax.Excerpt
	case errors.As(err, &remote):
		return remote.excerpt
	}
	return ""
}

// printExcerpt prints the line that an error is about.
func printExcerpt(w io.Writer, err error) {
	for line := range strings.Lines(excerptOf(err)) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
}
