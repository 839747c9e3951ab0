package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// queryText is the argument, the file, or standard input when that is no terminal. A text of
// more bytes than limit is refused.
func (a *app) queryText(args []string, file string, limit int64) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", usagef("give the query as an argument or with -f, not both")
	case len(args) > 0:
		return args[0], nil
	case file != "" && file != "-":
		return readText(file, limit)
	case isTerminal(a.in):
		return "", usagef("no query: give it as an argument, with -f FILE, or on standard input")
	}
	return textOf("standard input", a.in, 0, limit)
}

// readText reads a text from a file.
func readText(name string, limit int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	return textOf(name, f, st.Size(), limit)
}

// textOf reads a text of about size bytes.
func textOf(name string, r io.Reader, size, limit int64) (string, error) {
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
