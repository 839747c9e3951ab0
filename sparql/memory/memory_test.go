package memory_test

import (
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/datasettest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/memory"
)

func TestDataset(t *testing.T) {
	datasettest.Run(t, func(_ *testing.T, quads []rdf.Quad) dataset.Dataset {
		var b memory.Builder
		for _, q := range quads {
			b.Add(q)
		}
		return b.Build()
	})
}
