package rete

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/dataset"
	"github.com/rete-go/rete/tile"
)

// viewDataset is a view of the engine as the query engine wants it. The types of
// the two rooms have the same shape, so batches cross without copying.
type viewDataset struct {
	view   *engine.View
	state  string
	loaded func() (units, bytes uint64) // nil: nothing is counted
}

var _ dataset.Dataset = (*viewDataset)(nil)
var _ dataset.GraphLister = (*viewDataset)(nil)
var _ dataset.Loader = (*viewDataset)(nil)
var _ dataset.ValueIndex = (*viewDataset)(nil)
var _ dataset.RangeShare = (*viewDataset)(nil)
var _ dataset.TermScan = (*viewDataset)(nil)

func (d *viewDataset) State() string { return d.state }

func (d *viewDataset) Lookup(ctx context.Context, terms []rdf.Term, ids []dataset.ID) error {
	surfaces := make([][]byte, len(terms))
	for i, t := range terms {
		surfaces[i] = []byte(t.Surface())
	}
	return d.view.Lookup(ctx, surfaces, ids)
}

func (d *viewDataset) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	return d.view.Decode(ctx, ids, out)
}

func (d *viewDataset) Values(ctx context.Context, ids []dataset.ID, out *dataset.Values) error {
	return dataset.DecodeValues(ctx, d, ids, out)
}

func (d *viewDataset) Ranges(ctx context.Context, c dataset.Class) ([]dataset.IDRange, bool, error) {
	class := engine.Class{Prefix: c.Prefix}
	switch c.Kind {
	case dataset.IRIs, dataset.IRIPrefix:
		class.Kind = engine.KindIRI
	case dataset.BlankNodes:
		class.Kind = engine.KindBlank
	case dataset.Literals:
		class.Kind = engine.KindLiteral
	case dataset.LiteralText:
		class.Kind = engine.KindLiteral
		class.Prefix = escapedText(c.Prefix)
	case dataset.TripleTerms:
		class.Kind = engine.KindTriple
	case dataset.NumericRange, dataset.TemporalRange: // a list of ids
		return d.valueRanges(ctx, c)
	default:
		return nil, false, fmt.Errorf("rete: no id ranges for class %d", c.Kind)
	}
	list, exact, err := d.view.Ranges(ctx, class)
	if err != nil {
		return nil, false, err
	}
	out := make([]dataset.IDRange, len(list))
	for i, r := range list {
		out[i] = dataset.IDRange(r)
	}
	return out, exact, nil
}

func (d *viewDataset) RangeShare(ctx context.Context, p dataset.Pattern, c dataset.Col, list []dataset.IDRange) (float64, bool, error) {
	ranges := make([]engine.IDRange, len(list))
	for i, r := range list {
		ranges[i] = engine.IDRange(r)
	}
	return d.view.RangeShare(ctx, toPattern(p), int(c), ranges)
}

func (d *viewDataset) ScanTerms(ctx context.Context, r dataset.IDRange, use func(first dataset.ID, t *dataset.Terms, lo, hi int) error) error {
	return d.view.ScanTerms(ctx, engine.IDRange(r), use)
}

// valueRanges is Ranges for values, of which the index gives ids. An index is made
// if it must be.
func (d *viewDataset) valueRanges(ctx context.Context, c dataset.Class) ([]dataset.IDRange, bool, error) {
	i, ok := c.Interval()
	if !ok {
		return nil, false, fmt.Errorf("rete: no values from %q to %q", c.From, c.To)
	}
	set, err := d.view.ValueIDs(ctx, i, math.MaxUint64)
	if err != nil {
		return nil, false, err
	}
	var out []dataset.IDRange
	for _, id := range set.Append(nil) {
		if n := len(out); n > 0 && out[n-1].Hi+1 == id {
			out[n-1].Hi = id
		} else {
			out = append(out, dataset.IDRange{Lo: id, Hi: id})
		}
	}
	return out, false, nil
}

func (d *viewDataset) ValueCount(ctx context.Context, i dataset.Interval, worth uint64) (uint64, error) {
	return d.view.ValueCount(ctx, i, worth)
}

func (d *viewDataset) ValueIDs(ctx context.Context, i dataset.Interval, worth uint64) (*dataset.IDSet, error) {
	return d.view.ValueIDs(ctx, i, worth)
}

func (d *viewDataset) ValueStep(ctx context.Context, c valuekey.Class, from valuekey.Key, n, worth uint64, down bool) (valuekey.Key, error) {
	return d.view.ValueStep(ctx, c, from, n, worth, down)
}

// escapedText returns text as it stands inside the quotes of a surface.
func escapedText(text string) string {
	surface := rdf.String(text).Surface()
	return surface[1 : len(surface)-1]
}

func (d *viewDataset) Orders(p dataset.Pattern) []dataset.Order {
	list := d.view.Orders(toPattern(p))
	out := make([]dataset.Order, len(list))
	for i, o := range list {
		out[i] = dataset.Order(o)
	}
	return out
}

func (d *viewDataset) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Card, error) {
	c, err := d.view.Estimate(ctx, toPattern(p))
	return dataset.Card(c), err
}

func (d *viewDataset) Count(ctx context.Context, p dataset.Pattern) (uint64, error) {
	return d.view.Count(ctx, toPattern(p))
}

func (d *viewDataset) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	var eo *engine.ScanOptions
	if opt != nil {
		eo = &engine.ScanOptions{
			Cols: engine.Cols(opt.Wanted()), Within: opt.Within,
			From: opt.From, To: opt.To, Part: opt.Part, Parts: opt.Parts, Hold: opt.Hold,
		}
	}
	c, err := d.view.Scan(ctx, toPattern(p), tile.Order(o), eo)
	if err != nil {
		return nil, err
	}
	return cursor{c}, nil
}

func (d *viewDataset) Trie(ctx context.Context, p dataset.Pattern, o dataset.Order) (dataset.Trie, error) {
	t, err := d.view.Trie(ctx, toPattern(p), tile.Order(o))
	if errors.Is(err, engine.ErrNoTrie) {
		return nil, dataset.ErrNoTrie
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (d *viewDataset) NamedGraphs(ctx context.Context) ([]dataset.ID, error) {
	return d.view.NamedGraphs(ctx)
}

// cursor passes batches through: the two batch types are the same struct.
type cursor struct{ *engine.Cursor }

func (c cursor) Next(ctx context.Context, b *dataset.Batch) error {
	return c.Cursor.Next(ctx, (*engine.Batch)(b))
}

func toPattern(p dataset.Pattern) engine.Pattern {
	g := engine.Graphs{Set: p.G.Set, NamedOnly: p.G.NamedOnly}
	switch p.G.Mode {
	case dataset.Each:
		g.Mode = engine.Each
	case dataset.Merge:
		g.Mode = engine.Merge
	}
	return engine.Pattern{S: p.S, P: p.P, O: p.O, G: g}
}

// Loaded implements [dataset.Loader].
func (d *viewDataset) Loaded() (units, bytes uint64) {
	if d.loaded == nil {
		return 0, 0
	}
	return d.loaded()
}
