package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/powercut"
	"github.com/rete-go/rete/sparql"
)

// powerLosses are the kinds of loss that are looked at. Parts come often: there are many.
var powerLosses = [][2]powercut.Loss{
	{powercut.LoseAll, powercut.LoseAll}, {powercut.LoseAll, powercut.LoseNone}, {powercut.LoseNone, powercut.LoseAll},
	{powercut.LoseSome, powercut.LoseAll}, {powercut.LoseSome, powercut.LoseNone},
	{powercut.LoseSome, powercut.LoseSome}, {powercut.LoseSome, powercut.LoseSome}, {powercut.LoseSome, powercut.LoseSome},
}

// cut cuts the power at moments and checks what is left.
func (p *power) cut(ctx context.Context) error {
	moments := append(p.rec.Moments(), p.rec.Length)
	var crashes []powercut.Crash
	crash := func(at, kind int) {
		l := powerLosses[kind]
		crashes = append(crashes, powercut.Crash{At: at, Data: l[0], Names: l[1], Seed: p.r.Uint64()})
	}
	for range p.cuts {
		crash(moments[p.r.IntN(len(moments))], p.r.IntN(len(powerLosses)))
	}
	if p.cuts == 0 {
		for _, at := range moments {
			for kind := range powerLosses {
				crash(at, kind)
			}
		}
	}
	return p.rec.Images(crashes, p.lost, func(c powercut.Crash, i powercut.Image) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.result.Cuts++
		if err := p.check(ctx, i, func(found map[string]bool) error { return p.expect(c.At, found) }, c.At <= p.made); err != nil {
			return err
		}
		if p.again == 0 || p.result.Cuts%p.again > 0 || c.At <= p.made {
			return nil
		}
		return p.cutAgain(ctx, i)
	})
}

// check checks what a cut left: a check finds no damage, the quads are as expected, and
// writing goes on. There may be nothing at all if none says so.
func (p *power) check(ctx context.Context, image powercut.Image, expect func(found map[string]bool) error, none bool) error {
	dir, err := os.MkdirTemp(p.dir, "cut")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := image.Write(dir); err != nil {
		return err
	}
	manifest := filepath.Join(dir, filepath.Base(p.manifest))
	if _, err := os.Stat(manifest); errors.Is(err, fs.ErrNotExist) && none {
		return nil
	}
	if err := p.fsck(ctx, manifest); err != nil {
		return err
	}
	found, err := readQuads(ctx, manifest)
	if err != nil {
		return err
	}
	if err := expect(maps.Clone(found)); err != nil {
		return err
	}
	if err := writeQuad(ctx, manifest, afterCut); err != nil {
		return fmt.Errorf("a write after it: %w", err)
	}
	again, err := readQuads(ctx, manifest)
	if err != nil {
		return err
	}
	if found[" "+afterCut] = true; !maps.Equal(again, found) {
		return fmt.Errorf("after a write:\n%s", differences(again, found))
	}
	return p.fsck(ctx, manifest)
}

// afterCut is what is written after a cut.
const afterCut = "<http://ex/after> <http://ex/the> <http://ex/cut>"

// cutAgain records an update of what a cut left, which recovers first, and cuts the power
// of that: what was there stays, and the update is there whole or not at all.
func (p *power) cutAgain(ctx context.Context, image powercut.Image) error {
	dir, err := os.MkdirTemp(p.dir, "again")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "power")
	if err := image.Write(folder); err != nil {
		return err
	}
	rec, err := powercut.New(folder)
	if err != nil {
		return err
	}
	manifest := filepath.Join(folder, filepath.Base(p.manifest))
	before, err := readQuads(ctx, manifest)
	if err != nil {
		return err
	}
	const text = "<http://ex/before> <http://ex/the> <http://ex/second>"
	done, err := recordCommand(ctx, rec, p.rete, "update", manifest, "INSERT DATA { "+text+" }")
	if err != nil {
		return err
	}
	var crashes []powercut.Crash
	for _, at := range rec.Moments() {
		l := powerLosses[p.r.IntN(len(powerLosses))]
		crashes = append(crashes, powercut.Crash{At: at, Data: l[0], Names: l[1], Seed: p.r.Uint64()})
	}
	return rec.Images(crashes, nil, func(c powercut.Crash, i powercut.Image) error {
		p.result.Again++
		return p.check(ctx, i, func(found map[string]bool) error {
			if there := found[" "+text]; !there && c.At > done {
				return errors.New("an acknowledged update is lost")
			}
			delete(found, " "+text)
			if !maps.Equal(found, before) {
				return errors.New(differences(found, before))
			}
			return nil
		}, false)
	})
}

func (p *power) fsck(ctx context.Context, manifest string) error {
	report, err := engine.Check(ctx, manifest, nil, nil)
	if err != nil {
		return fmt.Errorf("fsck: %w", err)
	}
	for _, f := range report.Findings {
		if strings.Contains(f.Problem, "no whole batch") {
			p.result.Torn++
		}
	}
	if !report.OK {
		return fmt.Errorf("fsck: %+v", report.Findings)
	}
	return nil
}

// expect compares quads with those that may be there after a cut in a moment.
func (p *power) expect(at int, found map[string]bool) error {
	if at <= p.seeded && len(found) == 0 {
		return nil
	}
	var actors []*actor
	open := make([]*request, len(p.actors))
	for id, entries := range p.entries {
		a := newActor(id)
		for _, e := range entries {
			if e.settled >= at {
				open[id] = e.request
				break
			}
			if e.done {
				a.done(e.request)
			}
		}
		actors = append(actors, a)
	}
	happened, err := settle(found, actors, open)
	p.result.Open += len(happened)
	return err
}

// readQuads reads all quads without taking the ownership.
func readQuads(ctx context.Context, manifest string) (map[string]bool, error) {
	db, err := rete.Open(ctx, manifest, nil)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s, err := db.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	q, err := sparql.Parse(allQuads, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := s.WriteTo(ctx, &out, sparql.TSV, q); err != nil {
		return nil, err
	}
	rows, err := readRows(out.Bytes())
	if err != nil {
		return nil, err
	}
	return quadLines(rows)
}

// writeQuad writes a quad of the default graph.
func writeQuad(ctx context.Context, manifest, triple string) error {
	db, err := rete.Open(ctx, manifest, nil)
	if err != nil {
		return err
	}
	u, err := sparql.ParseUpdate("INSERT DATA { "+triple+" }", nil)
	if err == nil {
		_, err = db.Execute(ctx, u)
	}
	return errors.Join(err, db.Close())
}
