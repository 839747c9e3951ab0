package probe

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Scale is the size of the stores.
type Scale struct {
	Statements int // of the base
	Built      int // of the document that is built
	Entries    int // above the base
	Changes    int // of each entry, half of them adds
	Hidden     int // base with tombstones: statements that go; a quarter as many stay. 0: neither this store nor the next
	Journal    int // changes of the journal that is replayed
}

// Full is the scale of records, and Short that of the measures of the short form, which is the same
// without the other stores.
var (
	Full  = Scale{Statements: 200_000, Built: 60_000, Entries: 20, Changes: 1000, Hidden: 1_000_000, Journal: 20_000}
	Short = Scale{Statements: 200_000, Built: 60_000, Entries: 20, Changes: 1000}
)

// names of the stores, each a folder with a manifest
const (
	storeBase    = "base"    // of one segment
	storeFolded  = "folded"  // with entries above
	storeTombs   = "tombs"   // of which most is hidden
	storeJournal = "journal" // with changes that are not sealed
	manifestName = "g.rete-manifest.json"
	builtName    = "built.nt"
)

// Setup makes the stores in a folder.
func Setup(ctx context.Context, dir string, scale Scale) error {
	doc, err := document(scale.Statements)
	if err != nil {
		return err
	}
	built, err := document(scale.Built)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, builtName), built, 0o644); err != nil {
		return err
	}
	small := entries(doc, scale.Entries, scale.Changes)
	if err := makeStore(ctx, filepath.Join(dir, storeBase), doc, nil); err != nil {
		return err
	}
	if err := makeStore(ctx, filepath.Join(dir, storeFolded), doc, small); err != nil {
		return err
	}
	if scale.Hidden == 0 {
		return nil
	}
	many, err := document(scale.Hidden + scale.Hidden/4)
	if err != nil {
		return err
	}
	if err := makeStore(ctx, filepath.Join(dir, storeTombs), many, hide(many)); err != nil {
		return err
	}
	name := filepath.Join(dir, storeJournal)
	if err := makeStore(ctx, name, doc, small); err != nil {
		return err
	}
	return fillJournal(ctx, name, scale.Journal)
}

// document returns the social data set.
func document(statements int) ([]byte, error) {
	var out bytes.Buffer
	_, err := social.Generate(&out, social.Options{Persons: social.PersonsFor(statements)})
	return out.Bytes(), err
}

// makeStore makes a graph with one base and entries.
func makeStore(ctx context.Context, dir string, doc []byte, steps []engine.Step) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	db, err := engine.Init(ctx, filepath.Join(dir, manifestName), &engine.InitOptions{Bases: []engine.Source{source(doc)}}, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	if len(steps) > 0 {
		if _, err := db.Add(ctx, steps, nil); err != nil {
			return err
		}
	}
	return db.Close()
}

func source(doc []byte) engine.Source {
	return engine.Source{Name: "generated", Reader: bytes.NewReader(doc), Format: rdfio.NTriples}
}

// entries returns entries that each take statements away and bring as many new ones.
func entries(doc []byte, n, changes int) (steps []engine.Step) {
	lines := bytes.SplitAfter(bytes.TrimSuffix(doc, []byte("\n")), []byte("\n"))
	for i := range n {
		var adds, dels bytes.Buffer
		for j := range changes / 2 {
			at := (i*changes + j) * 7919 % (len(lines) - 1)
			dels.Write(lines[at])
			fmt.Fprintf(&adds, "<%sp%d> <%sknows> <%snew%d_%d> .\n", social.Prefix, at%1000, social.Prefix, social.Prefix, i, j)
		}
		a, d := source(adds.Bytes()), source(dels.Bytes())
		steps = append(steps, engine.Step{Adds: &a, Dels: &d})
	}
	return steps
}

// hide returns an entry that takes away four of five lines, drawn by a fixed seed.
func hide(doc []byte) []engine.Step {
	r := rand.New(rand.NewPCG(1, 1))
	var dels bytes.Buffer
	for line := range bytes.Lines(doc) {
		if r.IntN(5) > 0 {
			dels.Write(line)
		}
	}
	d := source(dels.Bytes())
	return []engine.Step{{Dels: &d}}
}

// batch is how many changes a transaction of the journal has.
const batch = 100

func fillJournal(ctx context.Context, dir string, changes int) error {
	db, err := engine.Open(ctx, filepath.Join(dir, manifestName), &engine.Options{Sync: engine.SyncNever})
	if err != nil {
		return err
	}
	defer db.Close()
	for round := range changes / batch {
		if err := change(ctx, db, round, batch); err != nil {
			return err
		}
	}
	return db.Close()
}

// change commits n changes: new quads, and for each another one of the round before goes.
func change(ctx context.Context, db *engine.DB, round, n int) error {
	quads := func(round, n int) (list []rdf.Quad) {
		for i := range n {
			list = append(list, rdf.Quad{S: rdf.IRI(fmt.Sprintf("%sp%d", social.Prefix, i*31%1000)), P: rdf.IRI(social.Prefix + "knows"),
				O: rdf.IRI(fmt.Sprintf("%sround%d_%d", social.Prefix, round, i))})
		}
		return slices.Clip(list)
	}
	_, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
		if err := each(ctx, tx.Insert, quads(round, (n+1)/2)); err != nil {
			return err
		}
		if round == 0 || n < 2 {
			return nil
		}
		return each(ctx, tx.Delete, quads(round-1, n/2))
	})
	return err
}

// each gives quads to a method of a transaction, which takes them as a list in older commits.
func each(ctx context.Context, method any, quads []rdf.Quad) error {
	switch f := method.(type) {
	case func(context.Context, ...rdf.Quad) error:
		return f(ctx, quads...)
	case func(context.Context, []rdf.Quad) error:
		return f(ctx, quads)
	}
	return fmt.Errorf("a method of a transaction is a %T", method)
}
