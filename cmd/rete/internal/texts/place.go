package texts

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rete-go/rete/sparql"
)

// In puts the name of a text before an error that has a place in it.
func In(name string, err error) error {
	var syntax *sparql.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return err
}

// RemoteError is an error that a server told of, with the line that it is about.
type RemoteError struct{ Detail, Excerpt string }

// Error implements error.
func (e *RemoteError) Error() string { return e.Detail }

// Excerpt returns the line that an error is about, with a caret below it; empty if it is
// about none.
func Excerpt(err error) string {
	var (
		syntax *sparql.SyntaxError
		remote *RemoteError
	)
	switch {
	case errors.As(err, &syntax):
		return syntax.Excerpt
	case errors.As(err, &remote):
		return remote.Excerpt
	}
	return ""
}

// NotAFile tells of a text that is the name of a file, which -f reads.
func NotAFile(text string, err error) error {
	name := strings.TrimSpace(text)
	if len(name) > 255 || strings.ContainsAny(name, "\n{}") {
		return err
	}
	if st, serr := os.Stat(name); name == "" || serr != nil || st.IsDir() {
		return err
	}
	return fmt.Errorf("%w; %s is a file: -f %s reads it", err, name, name)
}
