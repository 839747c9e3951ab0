package engine_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/datasettest"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// modelQuads returns the distinct quads of a list as the model has them.
func modelQuads(quads []rdf.Quad) (out []model.Quad) {
	seen := map[rdf.Quad]bool{}
	for _, q := range quads {
		if !seen[q] {
			seen[q] = true
			out = append(out, model.Quad{q.S.Surface(), q.P.Surface(), q.O.Surface(), q.G.Surface()})
		}
	}
	return out
}

// dealt returns a log of several entries whose fold is quads: some are added twice,
// others are deleted and added again.
func dealt(r *rand.Rand, quads []model.Quad) []model.Entry {
	log := make([]model.Entry, 1+r.IntN(4))
	for _, q := range quads {
		last := r.IntN(len(log))
		log[last].Adds = append(log[last].Adds, q)
		for at := range last {
			switch r.IntN(4) {
			case 0:
				log[at].Adds = append(log[at].Adds, q)
			case 1:
				log[at].Dels = append(log[at].Dels, q)
			}
		}
	}
	return log
}

// TestDataset runs the kit of package dataset on views and snapshots.
func TestDataset(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	t.Run("journal", func(t *testing.T) {
		datasettest.Run(t, func(t *testing.T, quads []rdf.Quad) dataset.Dataset {
			db := initDB(t, vfs.NewMem())
			log := dealt(r, modelQuads(quads))
			addDB(t, db, stepsOf(log[:len(log)/2])...)
			for _, e := range log[len(log)/2:] {
				write(t, db, e)
			}
			return snapshot(t, db)
		})
	})
	if !longtest.On() {
		return
	}
	t.Run("segment", func(t *testing.T) {
		datasettest.Run(t, func(t *testing.T, quads []rdf.Quad) dataset.Dataset {
			return enginetest.NewView(viewtest.SegLog(t, []model.Entry{{Adds: modelQuads(quads)}}, r, nil), nil)
		})
	})
	t.Run("log", func(t *testing.T) {
		datasettest.Run(t, func(t *testing.T, quads []rdf.Quad) dataset.Dataset {
			return enginetest.NewView(viewtest.SegLog(t, dealt(r, modelQuads(quads)), r, nil), nil)
		})
	})
}

// stepsOf returns the steps that add the entries of a log.
func stepsOf(log []model.Entry) (out []engine.Step) {
	for _, e := range log {
		if len(e.Adds)+len(e.Dels) > 0 {
			out = append(out, engine.Step{Adds: quads(e.Adds), Dels: quads(e.Dels)})
		}
	}
	return out
}
