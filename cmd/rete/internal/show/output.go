package show

import (
	"bufio"
	"errors"
	"io"

	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// Output is where answers go.
type Output struct {
	To      io.Writer          // if it is no terminal
	Screen  *terminal.Terminal // if it is one
	NoPager bool
	Wide    bool // cells are not cut
}

// People calls write with a writer for what people read, which is clean (see package
// display): on a terminal it goes through a pager if it is long.
func (o *Output) People(write func(io.Writer) error) error {
	switch {
	case o.Screen == nil:
		return Buffered(o.To, write)
	case o.NoPager:
		return Buffered(o.Screen.File, write)
	}
	return o.Screen.Page(o.Wide, func(w io.Writer) error { return Buffered(w, write) })
}

// Text is [Output.People] for a text in which there may be anything.
func (o *Output) Text(write func(io.Writer) error) error {
	return o.People(func(w io.Writer) error {
		if o.Screen != nil {
			w = display.Writer(w)
		}
		return write(w)
	})
}

// Rows returns the writer of rows in a format, over a writer of [Output.People]. Prefixes
// shorten IRIs for people.
func (o *Output) Rows(w io.Writer, kind results.Format, prefixes map[string]string) results.Writer {
	if kind != results.Text && kind != results.Lines && kind != results.Markdown {
		if o.Screen != nil {
			w = display.Writer(w)
		}
		return results.NewWriter(w, kind)
	}
	return o.Table(w, kind, &results.TableOptions{Prefixes: prefixes})
}

// Table is [Output.Rows] of a format for people, with options, whose layout it sets.
func (o *Output) Table(w io.Writer, kind results.Format, opt *results.TableOptions) results.Table {
	if o.Screen != nil {
		opt.Color = o.Screen.Color
		if !o.Wide {
			opt.Width = o.Screen.Columns
		}
	}
	return results.NewTable(w, kind, opt)
}

// Plan writes a plan, fitted to the terminal.
func (o *Output) Plan(p *sparql.Plan) error {
	if o.Screen == nil {
		return o.Text(func(w io.Writer) error {
			_, err := io.WriteString(w, p.String())
			return err
		})
	}
	return o.People(func(w io.Writer) error {
		_, err := io.WriteString(w, p.Draw(sparql.DrawOptions{Width: o.Screen.Columns, Color: o.Screen.Color}))
		return err
	})
}

// Buffered calls write with a buffer before w.
func Buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	return errors.Join(write(b), b.Flush())
}
