// Package terminal is what commands know of the terminal that they write to: its size,
// whether it shows colors, and how long texts are read on it.
package terminal

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// Terminal is the terminal that a file is.
type Terminal struct {
	File *os.File
	// Columns and Rows are its size, 80 and 24 where it does not tell.
	Columns, Rows int
	// Color says that escape sequences of colors may be written: neither NO_COLOR nor TERM=dumb
	// forbids them.
	Color bool
}

// Of returns the terminal that a file is; false if it is none.
func Of(f *os.File) (*Terminal, bool) {
	if f == nil || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	t := &Terminal{File: f, Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	t.Columns, t.Rows, _ = term.GetSize(int(f.Fd()))
	if t.Columns <= 0 {
		t.Columns, _ = strconv.Atoi(os.Getenv("COLUMNS"))
	}
	if t.Columns <= 0 {
		t.Columns = 80
	}
	if t.Rows <= 0 {
		t.Rows = 24
	}
	return t, true
}
