package sparql_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// decodeMeter is a dataset that notes the most text that one call decodes.
type decodeMeter struct {
	dataset.Dataset
	most int
}

func (d *decodeMeter) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	before := len(out.Slab)
	err := d.Dataset.Decode(ctx, ids, out)
	d.most = max(d.most, len(out.Slab)-before)
	return err
}

// TestPagesOfLongText reads literals of 64 kB among short ones: the rows that are
// decoded together become fewer, and more again.
func TestPagesOfLongText(t *testing.T) {
	var quads []rdf.Quad
	for i := range 3000 {
		text := fmt.Sprint("short ", i)
		if i%3000 < 600 {
			text = strings.Repeat(fmt.Sprintf("%08d", i), 8<<10)
		}
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/%04d", i)), P: rdf.IRI("http://ex/p"), O: rdf.String(text)})
	}
	ds := &decodeMeter{Dataset: load(quads)}
	a, err := answer(ds, sparql.MustParse("SELECT * { ?s ?p ?o } ORDER BY ?s"))
	if err != nil {
		t.Fatal(err)
	}
	sameQuads(t, a.Set.Rows, quads)
	if ds.most > 8<<20 {
		t.Errorf("%d bytes decoded at once", ds.most)
	}
}

// sameQuads compares the rows of "SELECT * { ?s ?p ?o }" with the quads, in their order.
func sameQuads(t *testing.T, rows [][]rdf.Term, quads []rdf.Quad) {
	t.Helper()
	if len(rows) != len(quads) {
		t.Fatalf("%d rows of %d quads", len(rows), len(quads))
	}
	for i, row := range rows {
		if row[0] != quads[i].S || row[2] != quads[i].O {
			t.Fatalf("row %d is %.80v", i, row)
		}
	}
}
