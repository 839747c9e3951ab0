package control

import (
	"context"
	"errors"
	"fmt"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql"
)

func (c *Change) update(ctx context.Context, db *rete.DB) (*Changed, error) {
	opts := c.Budgets.Options(c.TempDir)
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
		opts = append(opts, sparql.WithLoad(document.Open(open...), document.Limits{TempDir: c.TempDir}))
	}
	opts = append(opts, sparql.WithPrefixes(given))
	if c.Update.DryRun {
		return c.try(ctx, db, u, opts)
	}
	done, err := db.Execute(ctx, u, opts...)
	if err != nil {
		return nil, explained(err)
	}
	m := db.Engine().Manifest()
	return &Changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit,
		Changed: done.Changes > 0, Changes: done.Changes, State: done.State}, nil
}

// try carries an update out and keeps nothing of it but what it would change.
func (c *Change) try(ctx context.Context, db *rete.DB, u *sparql.Update, opts []sparql.Option) (*Changed, error) {
	docs, err := sparql.Fetch(ctx, u, opts...)
	if err != nil {
		return nil, explained(err)
	}
	defer docs.Close()
	opts = append(opts, sparql.WithDocuments(docs))
	changes := preview.New()
	done, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Execute(ctx, u, opts...) }, func(o *engine.WriteOptions) {
		o.Preview = func(c engine.Change) error {
			changes.Add(c.Added, c.Quad)
			return nil
		}
	})
	if err != nil {
		return nil, explained(err)
	}
	m := db.Engine().Manifest()
	return &Changed{Schema: 1, Generation: m.Generation, Entries: len(m.Log), Commit: m.Commit, State: done.State, Preview: changes}, nil
}

// explained adds to an error what can be done about it.
func explained(err error) error {
	if errors.Is(err, sparql.ErrNoLoad) {
		return fmt.Errorf("%w; --load-files and --load-web let it", err)
	}
	return err
}

// parse reads the text of an update.
func (c *Change) parse(ctx context.Context, filled map[string]string, opts []sparql.Option) (*sparql.Update, error) {
	text, limit := c.Update.Text, c.Budgets.Text()
	if c.Update.File != "" {
		var err error
		if text, err = texts.Read(c.Update.File, limit); err != nil {
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
		name, err = "update", texts.NotAFile(text, err)
	}
	return nil, texts.In(name, err)
}

// filled are the prefixes that an update may use without declaring them: those that were given,
// those of the graph, then well-known ones. given are all but the well-known ones of an update
// that was handed over with them.
func (c *Update) filled(stored map[string]string) (all, given prefixes.Set) {
	given = prefixes.Set{}
	usual := sparql.WellKnownPrefixes()
	for name, namespace := range c.Prefixes {
		if usual[name] != namespace {
			given[name] = namespace
		}
	}
	return given.Over(stored).Over(c.Prefixes), given
}
