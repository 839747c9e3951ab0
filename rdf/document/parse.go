package document

import (
	"context"
	"io"
	"iter"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

const (
	parseQuads = 1024     // quads between two checks of the context
	parseBytes = 64 << 10 // of N-Quads that are written at once
)

// Parse parses the whole document, so that those that wait for its quads afterwards, such
// as the writers of a graph behind a lock, wait for no parser, and no error of the
// syntax is left to be found: [Document.Quads] then reads N-Quads. These count as much as
// the text does: more of them than Limits.Bytes are a [*TooLargeError].
func (d *Document) Parse(ctx context.Context) error {
	if d.parsed && !d.closed {
		return nil
	}
	r, err := d.Quads(ctx)
	if err != nil {
		return err
	}
	var q rdf.RawQuad
	var out []byte
	for n := 1; ; n++ {
		if n%parseQuads == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := r.Read(&q)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		d.graphs = d.graphs || len(q.G) > 0
		if !d.kept() {
			continue
		}
		if out = nquads.AppendQuad(out, &q); len(out) >= parseBytes {
			if err := d.add(&d.quads, out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := d.add(&d.quads, out); err != nil {
		return err
	}
	d.parsed = true
	return nil
}

// Prefixes are those that the document, which is parsed, declares, with their namespaces: the first
// thousand, in its order.
func (d *Document) Prefixes() iter.Seq2[string, string] { return d.names.All() }

// NamedGraphs reports whether the document, which is parsed, has a quad in a named
// graph.
func (d *Document) NamedGraphs() bool { return d.graphs }
