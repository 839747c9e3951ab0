// Package control has the changes that commands make to a graph, in a form that can be handed to
// the process that serves it.
package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/progress"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/internal/segment"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// path is where a server takes the work of other commands.
const path = "/admin/control"

// Change is a write to a manifest in a form that can be handed to the process that
// serves it. Names of files are absolute.
type Change struct {
	Verb   string     `json:"verb"` // update, add, prefix, seal, compact, revert
	Note   string     `json:"note,omitempty"`
	If     *int64     `json:"if_generation,omitempty"`
	Update *Update    `json:"update,omitempty"`
	Prefix *Prefixes  `json:"prefix,omitempty"`
	Adds   []Document `json:"adds,omitempty"`
	Dels   []Document `json:"dels,omitempty"`
	Inside bool       `json:"inside,omitempty"` // segments are copied to the manifest
	NoSeal bool       `json:"no_seal,omitempty"`
	To     int64      `json:"to,omitempty"` // generation to go back to
	First  int        `json:"first,omitempty"`
	Count  int        `json:"count,omitempty"`
	Out    string     `json:"out,omitempty"`
	Dir    string     `json:"dir,omitempty"`
	Write  *Write     `json:"write,omitempty"`
	Worker int        `json:"workers,omitempty"`
	// NoPyramid is of a compaction.
	NoPyramid bool `json:"no_pyramid,omitempty"`
	// Memory and Scratch bound a compaction.
	Memory  int64 `json:"memory,omitempty"`
	Scratch int64 `json:"scratch,omitempty"`

	TempDir string        `json:"-"` // of an update; empty: that of the system
	Budgets flags.Budgets `json:"-"` // likewise

	Step engine.Step   `json:"-"` // of an add that is carried out here
	Bar  *progress.Bar `json:"-"` // shows its progress
	Warn func(string)  `json:"-"` // gets what should be known about it
}

// Write says how a segment is written.
type Write struct {
	segment.WriterOptions
	// ThreeOrders is Orders of 3 in the words of earlier releases, which name it in every compaction.
	ThreeOrders bool `json:",omitempty"`
}

// Update is a SPARQL update.
type Update struct {
	Text     string            `json:"text,omitempty"`
	File     string            `json:"file,omitempty"` // that has the text instead
	Base     string            `json:"base,omitempty"`
	Prefixes map[string]string `json:"prefixes,omitempty"`
	Strict   bool              `json:"strict,omitempty"`
	Files    bool              `json:"files,omitempty"` // LOAD may open files
	Web      bool              `json:"web,omitempty"`   // and web addresses
	DryRun   bool              `json:"dry_run,omitempty"`
}

// Document is a document or a segment by its name.
type Document struct {
	Name    string       `json:"name"`
	Format  rdfio.Format `json:"format,omitempty"`
	Base    string       `json:"base,omitempty"`
	Graph   string       `json:"graph,omitempty"` // surface of the graph that takes the quads
	Lenient bool         `json:"lenient,omitempty"`
}

// handedSources are documents that were handed over, as one source; nil of none.
func handedSources(docs []Document) (*engine.Source, error) {
	if len(docs) == 0 {
		return nil, nil
	}
	var s engine.Source
	for _, d := range docs {
		var graph rdf.Term
		if d.Graph != "" {
			var err error
			if graph, err = rdf.ParseTerm(d.Graph); err != nil {
				return nil, err
			}
		}
		s.Parts = append(s.Parts, engine.Source{Name: d.Name, Format: d.Format, Base: d.Base, Graph: graph, Lenient: d.Lenient})
	}
	return &s, nil
}

// handedStep is what was handed over to be added.
func (c *Change) handedStep() (step engine.Step, err error) {
	if step.Adds, err = handedSources(c.Adds); err == nil {
		step.Dels, err = handedSources(c.Dels)
	}
	return step, err
}

// Changed is what a write did.
type Changed struct {
	Schema     int    `json:"schema"`
	Manifest   string `json:"manifest"`
	Generation int64  `json:"generation"`
	Entries    int    `json:"entries"`
	Commit     string `json:"commit,omitempty"`
	Changed    bool   `json:"changed"`
	Changes    int64  `json:"changes,omitempty"` // quads, of an update
	State      string `json:"state,omitempty"`
	// Preview is what an update would change that was only tried.
	Preview *preview.Changes `json:"preview,omitempty"`
	// Unsealed is how many changes wait in the journal, where nothing was to be done.
	Unsealed int64 `json:"unsealed,omitempty"`
	// Warnings are for the command that handed the change over, which prints them.
	Warnings []string `json:"warnings,omitempty"`
}

// Run carries the change out on an open database. With busy, which says whether
// queries take all cores, a compaction makes way for them.
func (c *Change) Run(ctx context.Context, db *rete.DB, busy func() bool) (*Changed, error) {
	before := db.Engine().Manifest().Generation
	if c.Verb == "update" {
		return c.update(ctx, db)
	}
	commit := manifest.CommitOptions{Note: c.Note, IfGeneration: c.If}
	var m *manifest.Manifest
	var err error
	switch c.Verb {
	case "add":
		step := c.Step
		if step == (engine.Step{}) {
			if step, err = c.handedStep(); err != nil {
				return nil, err
			}
		}
		opt := &engine.AddOptions{CommitOptions: commit, Inside: c.Inside, NoSeal: c.NoSeal, Warn: c.Warn}
		opt.Build.Progress = c.Bar.Building
		m, err = db.Engine().Add(ctx, []engine.Step{step}, opt)
	case "seal":
		m, err = db.Engine().Seal(ctx, &engine.SealOptions{CommitOptions: commit})
	case "prefix":
		if c.Prefix == nil {
			return nil, errors.New("a change of prefixes without one")
		}
		m, err = c.Prefix.run(ctx, db, &commit)
	case "revert":
		m, err = db.Engine().Revert(ctx, c.To, &engine.RevertOptions{CommitOptions: commit, NoSeal: c.NoSeal})
	case "compact":
		opt := &engine.CompactOptions{CommitOptions: commit, First: c.First, Count: c.Count, Out: c.Out, Dir: c.Dir, Busy: busy, NoPyramid: c.NoPyramid}
		if c.Write != nil {
			opt.Fold.WriterOptions = c.Write.WriterOptions
			if c.Write.ThreeOrders {
				opt.Fold.Orders = 3
			}
		}
		opt.Fold.Workers, opt.Fold.Progress = c.Worker, c.Bar.Folding
		opt.Fold.MaxMemory, opt.Fold.MaxScratch = c.Memory, c.Scratch
		m, err = db.Engine().Compact(ctx, opt)
	default:
		return nil, fmt.Errorf("there is no change %q", c.Verb)
	}
	if errors.Is(err, engine.ErrCompact) || errors.Is(err, engine.ErrNothingToSeal) {
		m, err = db.Engine().Manifest(), nil
	}
	if err != nil {
		return nil, err
	}
	done := &Changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit, Changed: m.Generation != before}
	if !done.Changed && c.Verb != "prefix" {
		snap, err := db.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		defer snap.Close()
		done.Unsealed = snap.Engine().Unsealed()
	}
	return done, nil
}
