package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/sparql"
)

// summaryFlags are the flags of `summary`.
type summaryFlags struct {
	flags.Database
	level      int
	memory     flags.Size
	json, wide bool
	at         flags.Moment
	out        string
	cmd        *cobra.Command
}

func (a *app) summary() *cobra.Command {
	var f summaryFlags
	cmd := &cobra.Command{
		Use:   "summary FILE.rete|GRAPH",
		Short: "Show what a graph is about, from the summary that it has of itself",
		Long: `Show predicates, classes at one level of their hierarchy, the links between
classes, and communities of nodes, all of the default graph. A segment has them
as its schema pyramid, which build and compact make, so the data is not read:
over the web it takes three requests. The summary of a graph is that of the
first segment of its log, brought up to date; parts that would need the data
are said to be those of that segment.`,
		Example: `  rete summary people.rete
  rete summary team --level 0
  rete summary team --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if err := onlyManifest(cmd, name, "at", "journal", "sealed-only", "memory", "cache"); err != nil {
				return err
			}
			if f.level < 0 && cmd.Flags().Changed("level") {
				return flags.Usagef("--level is 0 or more, not %d", f.level)
			}
			return a.runSummary(cmd.Context(), name, &f)
		},
		ValidArgsFunction: completeGraphs,
	}
	f.cmd = cmd
	fl := cmd.Flags()
	fl.IntVar(&f.level, "level", -1, "level of the classes: 0 has the most general ones (default: all classes as they are)")
	fl.BoolVar(&f.json, "json", false, "print all levels as JSON")
	fl.StringVarP(&f.out, "out", "o", "", "write to a file, which appears only when it is whole; packed if it ends in .gz or .zst")
	fl.Var(&f.memory, "memory", "what counting the links between classes may take where the graph has changed (default 256MiB)")
	fl.Var(&f.at, "at", "summarize an earlier generation, without the journal: "+flags.MomentHelp)
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	f.Register(cmd)
	a.journalFlag(cmd)
	wideFlag(cmd, &f.wide, "json")
	flags.Overriding(cmd, "json", "level")
	flags.Overriding(cmd, "at", "journal", "sealed-only")
	flags.Overriding(cmd, "sealed-only", "journal")
	return cmd
}

func (a *app) runSummary(ctx context.Context, name string, f *summaryFlags) error {
	s, names, err := a.summaryOf(ctx, name, f)
	if err != nil {
		return err
	}
	if f.json {
		return a.text(f.out, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(summaryJSON{1, s})
		})
	}
	if f.level >= len(s.Levels) && f.level > 0 {
		return flags.Usagef("--level %d: %s has levels 0 to %d", f.level, name, max(len(s.Levels), 1)-1)
	}
	o := a.shows(f.out)
	o.Wide = f.wide
	if o.Screen != nil {
		return a.listed(o.Listing(names, func(l *show.Listing) error { return l.Summary(s, f.level) }))
	}
	return a.output(f.out, func(w io.Writer) error { return o.ListingTo(w, names).Summary(s, f.level) })
}

// summaryJSON is the --json form.
type summaryJSON struct {
	Schema int `json:"schema"`
	*segment.Summary
}

// summaryOf reads the summary, and the prefixes that shorten its terms.
func (a *app) summaryOf(ctx context.Context, name string, f *summaryFlags) (*segment.Summary, prefixes.Set, error) {
	known := sparql.WellKnownPrefixes()
	if strings.HasSuffix(name, ".rete") {
		s, err := openEnds(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		defer s.Close()
		sum, err := s.Summary(ctx)
		if err != nil || blob.IsRemote(name) { // its prefixes would be a request more
			return sum, known, err
		}
		stored, err := s.Prefixes(ctx)
		return sum, prefixes.Set(stored).Over(known), err
	}
	db, err := a.open(ctx, name, &f.Database)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	snap, err := f.at.Snapshot(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	defer snap.Close()
	sum, err := snap.Engine().Summary(ctx, int64(f.memory))
	if err != nil {
		return nil, nil, err
	}
	stored, err := db.Prefixes(ctx)
	return sum, prefixes.Set(stored).Over(known), err
}

// endBytes is how much of the end of a file is read where little is wanted: the directory of the
// map, without its pages.
const endBytes = 16 << 10

// openEnds opens one file for a few small reads.
func openEnds(ctx context.Context, name string) (*segment.Segment, error) {
	web := blob.NewHTTPWith(blob.HTTPOptions{Tail: endBytes})
	mux, err := blob.NewMux("", blob.MuxOptions{Schemes: map[string]blob.Store{"http": web, "https": web}})
	if err != nil {
		return nil, err
	}
	obj, err := mux.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	pin, err := segment.StatedPin(ctx, obj)
	if err != nil {
		return nil, errors.Join(err, obj.Close())
	}
	return segment.Open(ctx, obj, &segment.Options{Pin: pin, Trees: segment.NextTo(mux, name)})
}
