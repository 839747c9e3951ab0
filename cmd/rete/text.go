package main

import (
	"encoding/json"
	"strconv"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
)

// grouped returns n with thin groups of three digits: 1,234,567.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// printJSON prints v on standard output, indented, with a newline at the end.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// queryText is the argument, the file, or standard input when that is no terminal. A text of
// more bytes than limit is refused.
func (a *app) queryText(args []string, file string, limit int64) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", flags.Usagef("give the query as an argument or with -f, not both")
	case len(args) > 0:
		return args[0], nil
	case file != "" && file != "-":
		return texts.Read(file, limit)
	case terminal.IsDevice(a.in):
		return "", flags.Usagef("no query: give it as an argument, with -f FILE, or on standard input")
	}
	return texts.From("standard input", a.in, 0, limit)
}
