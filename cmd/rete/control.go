package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/prefixes"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/segment"
	"github.com/rete-go/rete/sparql"
)

// controlPath is where a server takes the work of other commands.
const controlPath = "/admin/control"

// change is a write to a manifest in a form that can be handed to the process that
// serves it. Names of files are absolute.
type change struct {
	Verb   string                 `json:"verb"` // update, add, prefix, seal, compact, revert
	Note   string                 `json:"note,omitempty"`
	If     *int64                 `json:"if_generation,omitempty"`
	Update *updateChange          `json:"update,omitempty"`
	Prefix *prefixChange          `json:"prefix,omitempty"`
	Adds   []documentChange       `json:"adds,omitempty"`
	Dels   []documentChange       `json:"dels,omitempty"`
	Inside bool                   `json:"inside,omitempty"` // segments are copied to the manifest
	NoSeal bool                   `json:"no_seal,omitempty"`
	To     int64                  `json:"to,omitempty"` // generation to go back to
	First  int                    `json:"first,omitempty"`
	Count  int                    `json:"count,omitempty"`
	Out    string                 `json:"out,omitempty"`
	Dir    string                 `json:"dir,omitempty"`
	Write  *segment.WriterOptions `json:"write,omitempty"`
	Worker int                    `json:"workers,omitempty"`

	memory  *memoryFlags // of an update
	budgets budgets      // likewise

	step engine.Step  // of an add that is carried out here
	bar  *bar         // shows its progress
	warn func(string) // gets what should be known about it
}

type updateChange struct {
	Text     string            `json:"text,omitempty"`
	File     string            `json:"file,omitempty"` // that has the text instead
	Base     string            `json:"base,omitempty"`
	Prefixes map[string]string `json:"prefixes,omitempty"`
	Strict   bool              `json:"strict,omitempty"`
	Files    bool              `json:"files,omitempty"` // LOAD may open files
	Web      bool              `json:"web,omitempty"`   // and web addresses
}

type documentChange struct {
	Name    string       `json:"name"`
	Format  rdfio.Format `json:"format,omitempty"`
	Base    string       `json:"base,omitempty"`
	Graph   string       `json:"graph,omitempty"` // surface of the graph that takes the quads
	Lenient bool         `json:"lenient,omitempty"`
}

// handedSources are documents that were handed over, as one source; nil of none.
func handedSources(docs []documentChange) (*engine.Source, error) {
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
func (c *change) handedStep() (step engine.Step, err error) {
	if step.Adds, err = handedSources(c.Adds); err == nil {
		step.Dels, err = handedSources(c.Dels)
	}
	return step, err
}

// changed is what a write did.
type changed struct {
	Schema     int    `json:"schema"`
	Manifest   string `json:"manifest"`
	Generation int64  `json:"generation"`
	Entries    int    `json:"entries"`
	Commit     string `json:"commit,omitempty"`
	Changed    bool   `json:"changed"`
	Changes    int64  `json:"changes,omitempty"` // quads, of an update
	State      string `json:"state,omitempty"`
	// Unsealed is how many changes wait in the journal, where nothing was to be done.
	Unsealed int64 `json:"unsealed,omitempty"`
	// Warnings are for the command that handed the change over, which prints them.
	Warnings []string `json:"warnings,omitempty"`
}

// run carries the change out on an open database. With busy, which says whether
// queries take all cores, a compaction makes way for them.
func (c *change) run(ctx context.Context, db *rete.DB, busy func() bool) (*changed, error) {
	before := db.Manifest().Generation
	if c.Verb == "update" {
		return c.update(ctx, db)
	}
	commit := manifest.CommitOptions{Note: c.Note, IfGeneration: c.If}
	var m *manifest.Manifest
	var err error
	switch c.Verb {
	case "add":
		step := c.step
		if step == (engine.Step{}) {
			if step, err = c.handedStep(); err != nil {
				return nil, err
			}
		}
		opt := &engine.AddOptions{CommitOptions: commit, Inside: c.Inside, NoSeal: c.NoSeal, Warn: c.warn}
		opt.Build.Progress = c.bar.building
		m, err = db.Add(ctx, []engine.Step{step}, opt)
	case "seal":
		m, err = db.Seal(ctx, &engine.SealOptions{CommitOptions: commit})
	case "prefix":
		if c.Prefix == nil {
			return nil, errors.New("a change of prefixes without one")
		}
		m, err = c.Prefix.run(ctx, db, &commit)
	case "revert":
		m, err = db.Revert(ctx, c.To, &engine.RevertOptions{CommitOptions: commit, NoSeal: c.NoSeal})
	case "compact":
		opt := &engine.CompactOptions{CommitOptions: commit, First: c.First, Count: c.Count, Out: c.Out, Dir: c.Dir, Busy: busy}
		if c.Write != nil {
			opt.Fold.WriterOptions = *c.Write
		}
		opt.Fold.Workers, opt.Fold.Progress = c.Worker, c.bar.folding
		m, err = db.Compact(ctx, opt)
	default:
		return nil, fmt.Errorf("there is no change %q", c.Verb)
	}
	if errors.Is(err, engine.ErrCompact) || errors.Is(err, engine.ErrNothingToSeal) {
		m, err = db.Manifest(), nil
	}
	if err != nil {
		return nil, err
	}
	done := &changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit, Changed: m.Generation != before}
	if !done.Changed && c.Verb != "prefix" {
		snap, err := db.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		defer snap.Close()
		done.Unsealed = snap.Unsealed()
	}
	return done, nil
}

func (c *change) update(ctx context.Context, db *rete.DB) (*changed, error) {
	opts := c.budgets.options(c.memory.tmp)
	stored, err := db.Prefixes(ctx)
	if err != nil {
		return nil, err
	}
	all, given := c.Update.filled(stored)
	u, err := c.parse(ctx, all, opts)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	var open []document.Opener
	if c.Update.Files {
		open = append(open, document.Files())
	}
	if c.Update.Web {
		open = append(open, document.Web(nil))
	}
	if len(open) > 0 {
		opts = append(opts, sparql.WithLoad(document.Open(open...), document.Limits{TempDir: c.memory.tmp}))
	}
	done, err := db.Execute(ctx, u, nil, opts...)
	if errors.Is(err, sparql.ErrNoLoad) {
		err = fmt.Errorf("%w; --load-files and --load-web let it", err)
	}
	if err != nil {
		return nil, err
	}
	if done.Changes > 0 {
		done.State = c.keepPrefixes(ctx, db, done.State, prefixes.Set(nil).Joined(u.Prefixes()).Joined(given))
	}
	m := db.Manifest()
	return &changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit,
		Changed: done.Changes > 0, Changes: done.Changes, State: done.State}, nil
}

// parse reads the text of an update.
func (c *change) parse(ctx context.Context, filled map[string]string, opts []sparql.Option) (*sparql.Update, error) {
	text, limit := c.Update.Text, c.budgets.text()
	if c.Update.File != "" {
		var err error
		if text, err = readText(c.Update.File, limit); err != nil {
			return nil, err
		}
	}
	opt := &sparql.ParseOptions{Base: c.Update.Base, Prefixes: filled, Strict: c.Update.Strict, MaxBytes: int(limit)}
	u, err := sparql.ParseUpdateContext(ctx, text, opt, opts...)
	if err == nil {
		return u, nil
	}
	name := c.Update.File
	if name == "" {
		name, err = "update", notAFile(text, err)
	}
	return nil, inText(name, err)
}

// failure is the problem document of a change that failed.
type failure struct {
	Type    string `json:"type,omitempty"`
	Title   string `json:"title"`
	Detail  string `json:"detail"`
	Unknown bool   `json:"unknown,omitempty"` // whether it was made is not known
	Excerpt string `json:"excerpt,omitempty"` // the line of a text that it is about, and a caret
}

// maxChange bounds a change that is handed over, in bytes: long texts and documents come in
// files.
const maxChange = 16 << 20

// control answers the changes that other commands hand over. Updates have the memory of a
// query of the server.
func control(db *rete.DB, busy func() bool, memory *memoryFlags, b budgets) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c change
		done, err := func() (*changed, error) {
			dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxChange))
			dec.DisallowUnknownFields() // of another release: what it asks for would be lost
			if err := dec.Decode(&c); err != nil {
				return nil, err
			}
			var warnings []string
			c.memory, c.budgets = memory, b
			c.warn = func(message string) { warnings = append(warnings, message) }
			done, err := c.run(r.Context(), db, busy)
			if err == nil {
				done.Warnings = warnings
			}
			return done, err
		}()
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		if err != nil {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = enc.Encode(failure{Title: "the change failed", Detail: err.Error(), Excerpt: excerptOf(err), Unknown: errors.Is(err, rete.ErrUnknownOutcome)})
			return
		}
		_ = enc.Encode(done)
	})
}
