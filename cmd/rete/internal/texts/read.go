// Package texts has the texts of queries and updates that a command line gives or names, and what
// their errors say of the place.
package texts

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Name is what errors call a text: its file, or what it is.
func Name(args []string, file, what string) string {
	switch {
	case len(args) > 0:
		return what
	case file != "" && file != "-":
		return filepath.ToSlash(file)
	}
	return "standard input"
}

// Read reads a text from a file.
func Read(name string, limit int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	return From(name, f, st.Size(), limit)
}

// From reads a text of about size bytes.
func From(name string, r io.Reader, size, limit int64) (string, error) {
	var b strings.Builder
	if size <= limit {
		b.Grow(int(size))
		n, err := io.Copy(&b, io.LimitReader(r, limit+1))
		if err != nil {
			return "", err
		}
		if n <= limit {
			return b.String(), nil
		}
	}
	return "", fmt.Errorf("%s: the text has more than %d bytes, which one query may hold; --query-memory and --memory raise that", name, limit)
}
