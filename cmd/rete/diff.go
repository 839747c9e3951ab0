package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

func (a *app) manifestDiff() *cobra.Command {
	var (
		asJSON, wide bool
		f            flags.Database
	)
	cmd := &cobra.Command{
		Use:   "diff MANIFEST [G1..G2]",
		Short: "Show the quads in which two generations differ",
		Long: `Print each quad that one generation has and the other lacks, as N-Quads, with
"+" where the second has it and "-" where the first has it. One generation alone is
compared with now, the journal included, and without one the current generation is: what is in the
journal. On a terminal the quads are a table. ~1 is the previous generation, and a
time stands for the newest generation that is not after it. With --json each line is an object: change
("added" or "removed"), then subject, predicate, object and graph (null for the
default graph), each spelled as in N-Quads.`,
		Example: `  rete manifest diff people.rete-manifest.json 1..3
  rete manifest diff people.rete-manifest.json ~1
  rete manifest diff people.rete-manifest.json
  rete manifest diff people.rete-manifest.json 1 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, rest, err := graphArgs(cmd, args, 0, 1)
			if err != nil {
				return err
			}
			if err := withHistory(name); err != nil {
				return err
			}
			return a.runDiff(cmd.Context(), name, strings.Join(rest, ""), &f, asJSON, wide)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	wideFlag(cmd, &wide, "json")
	a.journalFlag(cmd)
	f.Register(cmd)
	return cmd
}

func (a *app) runDiff(ctx context.Context, name, generations string, f *flags.Database, asJSON, wide bool) error {
	db, err := a.open(ctx, name, f)
	if err != nil {
		return err
	}
	defer db.Close()
	if generations == "" {
		generations = strconv.FormatInt(db.Engine().Manifest().Generation, 10)
	}
	first, last, err := flags.ParseMoments(generations)
	if err != nil {
		return flags.Usagef("%q names no generations: %w; write 3..5, or 3 to compare with now", generations, err)
	}
	from, err := first.Generation(ctx, db)
	if err != nil {
		return err
	}
	to, err := last.Generation(ctx, db)
	if err != nil {
		return err
	}
	added, removed := 0, 0
	diff := func(write func(isAdd bool, q *rdf.RawQuad) error) error {
		for c, err := range db.Engine().Diff(ctx, from, to) {
			if err != nil {
				return err
			}
			if c.Added {
				added++
			} else {
				removed++
			}
			if err := write(c.Added, c.Quad); err != nil {
				return err
			}
		}
		return nil
	}
	o := a.shows("")
	o.Wide = wide
	switch {
	case asJSON:
		err = a.text("", func(w io.Writer) error { return diff(diffObjects(w)) })
	case o.Screen != nil:
		err = a.diffTable(ctx, db, o, diff)
	default:
		err = o.People(func(w io.Writer) error { return diff(diffLines(w)) })
	}
	if err != nil {
		return err
	}
	a.note("%s added, %s removed", grouped(uint64(added)), grouped(uint64(removed)))
	return nil
}

// diffTable shows a difference to people, with IRIs shortened by the prefixes of the graph.
func (a *app) diffTable(ctx context.Context, db *rete.DB, o *show.Output, diff func(func(bool, *rdf.RawQuad) error) error) error {
	stored, err := db.Prefixes(ctx)
	if err != nil {
		return err
	}
	known := prefixes.Set(stored).Over(sparql.WellKnownPrefixes())
	cut := 0
	err = o.People(func(w io.Writer) error {
		t := o.Table(w, results.Text, &results.TableOptions{Prefixes: known, Bare: true})
		if err := t.Head([]string{"", "subject", "predicate", "object", "graph"}); err != nil {
			return err
		}
		err := diff(func(isAdd bool, q *rdf.RawQuad) error {
			sign := `"-"`
			if isAdd {
				sign = `"+"`
			}
			return t.Row([][]byte{[]byte(sign), q.S, q.P, q.O, q.G})
		})
		if err != nil {
			return errors.Join(err, t.Abort())
		}
		err = t.Close()
		cut = t.Cut()
		return err
	})
	return a.listed(cut, err)
}

// diffLines writes signed lines of N-Quads.
func diffLines(out io.Writer) func(isAdd bool, q *rdf.RawQuad) error {
	var line []byte
	return func(isAdd bool, q *rdf.RawQuad) error {
		sign := "- "
		if isAdd {
			sign = "+ "
		}
		line = nquads.AppendQuad(append(line[:0], sign...), q)
		_, err := out.Write(line)
		return err
	}
}

// diffObjects writes a JSON object a line.
func diffObjects(out io.Writer) func(isAdd bool, q *rdf.RawQuad) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return func(isAdd bool, q *rdf.RawQuad) error {
		object := struct {
			Change string `json:"change"`
			preview.Quad
		}{"removed", preview.Of(q)}
		if isAdd {
			object.Change = "added"
		}
		return enc.Encode(&object)
	}
}
