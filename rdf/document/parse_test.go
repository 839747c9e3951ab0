package document_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
)

// checked is a context that counts how often it is asked, and ends at a number.
type checked struct {
	context.Context
	end    context.CancelFunc
	n, max int
}

func (c *checked) Err() error {
	if c.n++; c.n == c.max {
		c.end()
	}
	return c.Context.Err()
}

func (c *checked) Value(key any) any { // context.Cause asks for what a cancelled context keeps
	_ = c.Err()
	return c.Context.Value(key)
}

func ending(t *testing.T, at int) *checked {
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	return &checked{Context: ctx, end: end, max: at}
}

// TestParseEnds parses documents of many bytes and no quad: the context is checked for each 256 KiB
// of them, and what was parsed is not parsed again for its quads.
func TestParseEnds(t *testing.T) {
	const size = 4 << 20
	line := strings.Repeat("#", 1023) + "\n"
	for format, text := range map[rdfio.Format]string{
		rdfio.NTriples: strings.Repeat(line, size/len(line)),
		rdfio.Turtle:   strings.Repeat(line, size/len(line)),
		rdfio.TriG:     strings.Repeat("@prefix p: <urn:p> .\n", size/21),
		rdfio.RDFXML:   `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` + strings.Repeat("<!-- x -->\n", size/11) + "</r:RDF>",
	} {
		d, err := document.Read(t.Context(), source("x", text, format), document.Limits{TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, at := range []int{1, 5, 15} {
			ctx := ending(t, at)
			if err := d.Parse(ctx); !errors.Is(err, context.Canceled) || ctx.n > at+4 {
				t.Errorf("%v, ended at check %d: %v after %d", format, at, err, ctx.n)
			}
		}
		ctx := ending(t, math.MaxInt)
		if err := d.Parse(ctx); err != nil || ctx.n < size>>18 {
			t.Errorf("%v: %v, %d checks for %d bytes", format, err, ctx.n, size)
		}
		if format == rdfio.NTriples {
			continue // its text serves for its quads
		}
		if n := len(quads(t, d)); n > 0 {
			t.Errorf("%v: %d quads", format, n)
		}
		ctx = ending(t, math.MaxInt)
		r, err := d.Quads(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Read(nil) // there is none
		if ctx.n > 4 {
			t.Errorf("%v: the text is parsed again", format)
		}
	}
}
