package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/rete-go/rete/engine"
)

func (a *app) manifestStatus() *cobra.Command {
	var (
		opt    engine.StatusOptions
		asJSON bool
		f      dbFlags
	)
	cmd := &cobra.Command{
		Use:   "status MANIFEST",
		Short: "Show the log and check every segment against its pin",
		Long: `Show the log. Local segments are read and checked as a whole, remote ones by
header and map unless --full. Every bad segment is named; exit code 3 if there is
one.`,
		Example: "  rete manifest status people.rete-manifest.json --count",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			return a.runStatus(cmd.Context(), name, &f, &opt, asJSON)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&opt.Count, "count", false, "count the visible quads")
	cmd.Flags().BoolVar(&opt.Full, "full", false, "read remote segments as a whole too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the status as JSON")
	a.journalFlag(cmd)
	f.register(cmd)
	return cmd
}

func (a *app) runStatus(ctx context.Context, name string, f *dbFlags, opt *engine.StatusOptions, asJSON bool) error {
	db, err := a.open(ctx, name, f)
	if err != nil {
		return err
	}
	defer db.Close()
	b := a.progress("checking", -1)
	opt.Progress = func(done, _ int64) { b.set(done) }
	s, err := db.Status(ctx, opt)
	b.done()
	if err != nil {
		return err
	}
	for i := range s.Segments {
		s.Segments[i].Error = shown(s.Segments[i].Error)
	}
	if asJSON {
		err = a.printJSON(s)
	} else {
		err = a.printStatus(s)
	}
	if err == nil && !s.Verified {
		return errCheck
	}
	return err
}

func (a *app) printStatus(s *engine.Status) error {
	fmt.Fprintf(a.out, "%s, generation %d, %s\n", s.Name, s.Generation, plural(s.Entries, "entry", "entries"))
	if s.VisibleQuads != nil {
		fmt.Fprintf(a.out, "%s visible quads\n", grouped(*s.VisibleQuads))
	}
	if s.Unsealed > 0 {
		fmt.Fprintf(a.out, "%s unsealed changes\n", grouped(uint64(s.Unsealed)))
	}
	if len(s.Segments) == 0 {
		return nil
	}
	t := newTable("entry", "role", "segment", "bytes", "quads", "hash", "checked", "state")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}, {Number: 5, Align: text.AlignRight}})
	for _, seg := range s.Segments {
		quads, state := "", "ok"
		if seg.Quads != nil {
			quads = grouped(uint64(*seg.Quads))
		}
		if !seg.OK {
			state = "BAD"
		}
		t.AppendRow(table.Row{seg.Entry, seg.Role, seg.URL, grouped(uint64(seg.Size)), quads, seg.Hash, seg.Checked, state})
	}
	fmt.Fprintln(a.out, t.Render())
	for _, seg := range s.Segments {
		if !seg.OK {
			fmt.Fprintf(a.out, "BAD entry %d %s %s: %s\n", seg.Entry, seg.Role, seg.URL, seg.Error)
		}
	}
	return nil
}

// newTable returns a plain table with a line of column names.
func newTable(columns ...string) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	row := make(table.Row, len(columns))
	for i, c := range columns {
		row[i] = c
	}
	t.AppendHeader(row)
	return t
}
