package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
)

func (a *app) manifestStatus() *cobra.Command {
	var (
		opt          engine.StatusOptions
		asJSON, wide bool
		f            flags.Database
	)
	cmd := &cobra.Command{
		Use:   "status MANIFEST",
		Short: "Show the log and check every segment against its pin",
		Long: `Show the log. Local segments are read and checked as a whole, remote ones by
header and map unless --full. The column proof says how queries prove what they
read: by the map that the segment has, by a hash tree next to it, by hashing it
whole before its first use, or not, with --trust-unverified. Every bad segment is
named; exit code 3 if there is one.`,
		Example: "  rete manifest status people.rete-manifest.json --count",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			return a.runStatus(cmd.Context(), name, &f, &opt, asJSON, wide)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&opt.Count, "count", false, "count the visible quads")
	cmd.Flags().BoolVar(&opt.Full, "full", false, "read remote segments as a whole too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the status as JSON")
	wideFlag(cmd, &wide, "json")
	a.journalFlag(cmd)
	f.Register(cmd)
	return cmd
}

func (a *app) runStatus(ctx context.Context, name string, f *flags.Database, opt *engine.StatusOptions, asJSON, wide bool) error {
	db, err := a.open(ctx, name, f)
	if err != nil {
		return err
	}
	defer db.Close()
	b := a.progress("checking")
	opt.Progress = func(done, _ int64) { b.Set(done) }
	s, err := db.Engine().Status(ctx, opt)
	b.Done()
	if err != nil {
		return err
	}
	for i := range s.Segments {
		s.Segments[i].Error = texts.Shown(s.Segments[i].Error)
	}
	if asJSON {
		err = a.printJSON(s)
	} else {
		err = a.printStatus(s, wide)
	}
	if err == nil && !s.Verified {
		return errCheck
	}
	return err
}

func (a *app) printStatus(s *engine.Status, wide bool) error {
	return a.listing(wide, func(l *show.Listing) error {
		text := fmt.Sprintf("%s, generation %d, %s\n", s.Name, s.Generation, plural(s.Entries, "entry", "entries"))
		if s.VisibleQuads != nil {
			text += grouped(*s.VisibleQuads) + " visible quads\n"
		}
		switch s.Unsealed {
		case 0:
		case 1:
			text += "1 unsealed change\n"
		default:
			text += grouped(uint64(s.Unsealed)) + " unsealed changes\n"
		}
		if err := l.Printf("%s", text); err != nil || len(s.Segments) == 0 {
			return err
		}
		t := segmentTable(show.Column{Name: "checked", Last: true}, show.Column{Name: "proof", Last: true}, show.Column{Name: "state", Last: true})
		bad := ""
		for _, seg := range s.Segments {
			state := "ok"
			if !seg.OK {
				state = "BAD"
				bad += fmt.Sprintf("BAD entry %d %s %s: %s\n", seg.Entry, seg.Role, seg.URL, seg.Error)
			}
			t.Row(seg.Entry, seg.Role, seg.URL, grouped(uint64(seg.Size)), groupedIf(seg.Quads), seg.Hash, seg.Checked, seg.Proof, state)
		}
		if err := l.Table(t); err != nil {
			return err
		}
		return l.Printf("%s", bad)
	})
}

// segmentTable is a table of the segments of a log, with more columns after those of a segment.
func segmentTable(more ...show.Column) *show.Table {
	return show.NewTable(append([]show.Column{{Name: "entry", Right: true}, {Name: "role", Last: true}, {Name: "segment", Middle: true}, {Name: "bytes", Right: true},
		{Name: "quads", Right: true}, {Name: "hash"}}, more...)...)
}

// groupedIf is a number that is not always known.
func groupedIf(n *int64) string {
	if n == nil {
		return ""
	}
	return grouped(uint64(*n))
}
