package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/segment"
	"github.com/rete-go/rete/sparql"
)

// controlPath is where a server takes the work of other commands.
const controlPath = "/admin/control"

// change is a write to a manifest in a form that can be handed to the process that
// serves it. Names of files are absolute.
type change struct {
	Verb   string                 `json:"verb"` // update, add, seal, compact, revert
	Note   string                 `json:"note,omitempty"`
	If     *int64                 `json:"if_generation,omitempty"`
	Update *updateChange          `json:"update,omitempty"`
	Adds   *documentChange        `json:"adds,omitempty"`
	Dels   *documentChange        `json:"dels,omitempty"`
	NoSeal bool                   `json:"no_seal,omitempty"`
	To     int64                  `json:"to,omitempty"` // generation to go back to
	First  int                    `json:"first,omitempty"`
	Count  int                    `json:"count,omitempty"`
	Out    string                 `json:"out,omitempty"`
	Dir    string                 `json:"dir,omitempty"`
	Write  *segment.WriterOptions `json:"write,omitempty"`
	Worker int                    `json:"workers,omitempty"`
}

type updateChange struct {
	Text     string            `json:"text"`
	Base     string            `json:"base,omitempty"`
	Prefixes map[string]string `json:"prefixes,omitempty"`
	Files    bool              `json:"files,omitempty"` // LOAD may open files
	Web      bool              `json:"web,omitempty"`   // and web addresses
}

type documentChange struct {
	Name    string       `json:"name"`
	Format  rdfio.Format `json:"format,omitempty"`
	Base    string       `json:"base,omitempty"`
	Lenient bool         `json:"lenient,omitempty"`
}

func (d *documentChange) source() *engine.Source {
	if d == nil {
		return nil
	}
	return &engine.Source{Name: d.Name, Format: d.Format, Base: d.Base, Lenient: d.Lenient}
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
}

// run carries the change out on an open database. With busy, which says whether
// queries take all cores, a compaction makes way for them.
func (c *change) run(ctx context.Context, db *rete.DB, busy func() bool) (*changed, error) {
	before := db.Manifest().Generation
	if c.Verb == "update" {
		return c.update(ctx, db)
	}
	commit := engine.CommitOptions{Note: c.Note, IfGeneration: c.If}
	var m *engine.Manifest
	var err error
	switch c.Verb {
	case "add":
		step := engine.Step{Adds: c.Adds.source(), Dels: c.Dels.source()}
		m, err = db.Add(ctx, []engine.Step{step}, &engine.AddOptions{CommitOptions: commit, NoSeal: c.NoSeal})
	case "seal":
		m, err = db.Seal(ctx, &engine.SealOptions{CommitOptions: commit})
	case "revert":
		m, err = db.Revert(ctx, c.To, &engine.RevertOptions{CommitOptions: commit, NoSeal: c.NoSeal})
	case "compact":
		opt := &engine.CompactOptions{CommitOptions: commit, First: c.First, Count: c.Count, Out: c.Out, Dir: c.Dir, Busy: busy}
		if c.Write != nil {
			opt.Fold.WriterOptions = *c.Write
		}
		opt.Fold.Workers = c.Worker
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
	return &changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit, Changed: m.Generation != before}, nil
}

func (c *change) update(ctx context.Context, db *rete.DB) (*changed, error) {
	u, err := sparql.ParseUpdate(c.Update.Text, &sparql.ParseOptions{Base: c.Update.Base, Prefixes: c.Update.Prefixes})
	if err != nil {
		return nil, err
	}
	var opts []sparql.Option
	var open []document.Opener
	if c.Update.Files {
		open = append(open, document.Files())
	}
	if c.Update.Web {
		open = append(open, document.Web(nil))
	}
	if len(open) > 0 {
		opts = append(opts, sparql.WithLoad(document.Open(open...), document.Limits{}))
	}
	done, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Update(ctx, u, opts...) })
	if err != nil {
		return nil, err
	}
	m := db.Manifest()
	return &changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit,
		Changed: done.Changes > 0, Changes: done.Changes, State: done.State}, nil
}

// carryOut makes a change here, or has the process make it that serves the manifest.
func (a *app) carryOut(ctx context.Context, name string, c *change) (*changed, error) {
	db, err := a.open(ctx, name, &dbFlags{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if note := db.Owner(); note != nil && note.Address != "" {
		return hand(ctx, note, name, c)
	}
	b := a.progress(c.Verb, -1)
	done, err := c.run(ctx, db, nil)
	b.done()
	var owned *engine.OwnedError
	if errors.As(err, &owned) && owned.Note != nil && owned.Note.Address != "" {
		return hand(ctx, owned.Note, name, c) // a server came between
	}
	if err != nil {
		return nil, err
	}
	done.Manifest = name
	return done, nil
}

// hand sends a change to the owner of the journal.
func hand(ctx context.Context, to *engine.Note, name string, c *change) (*changed, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Address+controlPath, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+to.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: process %d serves it at %s, but does not answer: %w; whether the change was made is not known", name, to.PID, to.Address, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: the answer of the server at %s broke off: %w; whether the change was made is not known", name, to.Address, err)
	}
	if resp.StatusCode != http.StatusOK {
		var p struct {
			Detail string `json:"detail"`
		}
		if json.Unmarshal(answer, &p) != nil || p.Detail == "" {
			p.Detail = resp.Status
		}
		return nil, errors.New(p.Detail)
	}
	var done changed
	if err := json.Unmarshal(answer, &done); err != nil {
		return nil, fmt.Errorf("%s: the answer of the server at %s: %w", name, to.Address, err)
	}
	done.Manifest = name
	return &done, nil
}

// control answers the changes that other commands hand over.
func control(db *rete.DB, busy func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c change
		done, err := func() (*changed, error) {
			if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
				return nil, err
			}
			return c.run(r.Context(), db, busy)
		}()
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		if err != nil {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = enc.Encode(map[string]string{"title": "the change was not made", "detail": err.Error()})
			return
		}
		_ = enc.Encode(done)
	})
}

// absolute makes a file name mean the same in another process.
func absolute(name string) (string, error) {
	if name == "" || blob.IsRemote(name) {
		return name, nil
	}
	return filepath.Abs(name)
}

// untilDone is a reader that ends with the error of a context.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read implements [io.Reader].
func (r untilDone) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, r.ctx.Err()
	}
	return r.r.Read(p)
}

// spoolInput copies standard input to a temporary file, so that a server can read
// it by its name.
func (a *app) spoolInput(ctx context.Context) (name string, remove func(), err error) {
	f, err := os.CreateTemp("", "rete-stdin-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(f.Name()) }
	if _, err = io.Copy(f, untilDone{ctx, a.in}); err == nil {
		err = f.Close()
	}
	if err != nil {
		f.Close()
		remove()
		return "", nil, err
	}
	return f.Name(), remove, nil
}
