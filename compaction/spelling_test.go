package compaction_test

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
)

// spellings are other ways to write some of the terms, as foreign segments do.
var spellings = map[string][]string{
	"<http://e/a>": {`<http://e/\u0061>`, `<\u0068ttp://e/a>`},
	"<http://e/d>": {`<http://e/\U00000064>`},
	"<http://e/p>": {`<http://e/\u0070>`},
	`"x"`:          {`"x"^^<http://www.w3.org/2001/XMLSchema#string>`, `"\u0078"`},
	`"x"@en`:       {`"x"@EN`, `"x"@En`},
}

// respell writes some terms of the quads in another way.
func respell(t *rapid.T, quads []quad) []quad {
	out := make([]quad, len(quads))
	for i, q := range quads {
		for k, term := range q {
			if others := spellings[term]; len(others) > 0 {
				if n := rapid.IntRange(0, len(others)).Draw(t, "spelling"); n > 0 {
					term = others[n-1]
				}
			}
			out[i][k] = term
		}
	}
	return out
}

func TestSpellings(t *testing.T) {
	for term, others := range spellings {
		for _, other := range others {
			if c, err := rdf.Canonicalize(nil, []byte(other)); err != nil || string(c) != term {
				t.Fatalf("%s is canonically %s, %v; want %s", other, c, err, term)
			}
		}
	}
	o := newOpener(t)
	rapid.Check(t, func(t *rapid.T) {
		log := drawLog(t)
		foreign := make([]entry, len(log))
		for i, e := range log {
			foreign[i] = entry{adds: respell(t, e.adds), dels: respell(t, e.dels)}
		}
		in := segment.WriterOptions{Orders: rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "orders")}
		run, closeRun := o.run(foreign, &in)
		defer closeRun()
		one := composed(log)
		mustEqual(t, o, "adds", addsOf, run, one.adds, segment.WriterOptions{})
		mustEqual(t, o, "dels", delsOf, run, one.dels, segment.WriterOptions{})
	})
}

// What is no term at all keeps its bytes, and the file is not marked canonical,
// unless the last quad with it is gone.
func TestNoTerm(t *testing.T) {
	o := newOpener(t)
	broken := quad{"<http://e/a>", "<http://e/p>", "no term", ""}
	fine := quad{"<http://e/a>", "<http://e/p>", `"x"`, ""}
	base, closeBase := o.source([]quad{broken, fine}, nil)
	defer closeBase()
	var out bytes.Buffer
	built, err := compaction.Adds(context.Background(), []compaction.Entry{{Adds: base}}, &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := segtest.Build(t, []quad{broken, fine}, nil)
	if built.Canonical || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("canonical %v, or other bytes", built.Canonical)
	}
	gone, closeGone := o.source([]quad{broken}, nil)
	defer closeGone()
	mustEqual(t, o, "after the delete", addsOf, []compaction.Entry{{Adds: base}, {Dels: gone}}, []quad{fine}, segment.WriterOptions{})
}
