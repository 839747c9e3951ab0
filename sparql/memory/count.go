package memory

import (
	"context"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/rdf"
)

// Count implements [dataset.Dataset].
func (d *store) Count(ctx context.Context, p dataset.Pattern) (uint64, error) {
	o := d.Orders(p)[0]
	if o.Leads(boundCols(&p)) == bits(boundCols(&p)) {
		var n uint64
		for _, s := range d.stretches(&p, o) {
			n += uint64(len(s.rows))
		}
		return n, nil
	}
	c, err := d.Scan(ctx, p, o, &dataset.ScanOptions{Cols: dataset.S.Bit()})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	var n uint64
	var b dataset.Batch
	for {
		if err := c.Next(ctx, &b); err == io.EOF {
			return n, nil
		} else if err != nil {
			return 0, err
		}
		n += uint64(b.N)
	}
}

func bits(cs dataset.Cols) int {
	n := 0
	for c := dataset.S; c <= dataset.G; c++ {
		if cs.Has(c) {
			n++
		}
	}
	return n
}

// sample is the number of rows that Estimate looks at.
const sample = 512

// Estimate implements [dataset.Dataset].
func (d *store) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	o := d.Orders(p)[0]
	stretches := d.stretches(&p, o)
	var n int
	for _, s := range stretches {
		n += len(s.rows)
	}
	card := dataset.Cardinality{High: uint64(n), Low: uint64(n), Guess: uint64(n)}
	cols := o.Columns()
	var seen [3]map[id]bool
	for i := range seen {
		seen[i] = make(map[id]bool)
	}
	looked, hits, at := 0, 0, 0
	step := max(1, n/sample)
	for _, s := range stretches {
		for ; at < len(s.rows); at += step {
			looked++
			match := true
			for i, v := range s.rows[at] {
				if b := p.At(cols[i]); b != 0 && b != v {
					match = false
				}
			}
			if !match {
				continue
			}
			hits++
			for i, v := range s.rows[at] {
				seen[i][v] = true
			}
		}
		at -= len(s.rows)
	}
	if looked > hits {
		card.Low, card.Guess = 0, max(uint64(n)*uint64(hits)/uint64(looked), 1)
	}
	for i, c := range cols {
		distinct := uint64(len(seen[i]))
		if step > 1 && distinct*2 > uint64(hits) {
			distinct = distinct * uint64(step)
		}
		if p.At(c) != 0 {
			distinct = 1
		}
		card.Distinct[c] = min(distinct, card.Guess)
	}
	card.Distinct[dataset.G] = uint64(len(stretches))
	return card, ctx.Err()
}

// Ranges implements [dataset.Dataset] by looking at every term.
func (d *store) Ranges(_ context.Context, c dataset.Class) ([]dataset.IDRange, bool, error) {
	var out []dataset.IDRange
	exact := true
	for layer := range id(layers) {
		for n := id(1); valid(layer<<40|n) && numberOf(layer<<40|n) < len(d.surfaces); n++ {
			i := layer<<40 | n
			in, sure := inClass(c, d.surfaces[numberOf(i)])
			exact = exact && sure
			switch last := len(out) - 1; {
			case !in:
			case last >= 0 && out[last].Hi+1 == i:
				out[last].Hi = i
			default:
				out = append(out, dataset.IDRange{Lo: i, Hi: i})
			}
		}
	}
	return out, exact, nil
}

// inClass reports whether a term may be in the class, and whether that is sure.
func inClass(c dataset.Class, surface string) (in, exact bool) {
	t := rdf.FromSurface(surface)
	has := func(prefix string) bool {
		v := t.Value()
		return len(v) >= len(prefix) && v[:len(prefix)] == prefix
	}
	switch c.Kind {
	case dataset.IRIs:
		return t.Kind() == rdf.KindIRI, true
	case dataset.BlankNodes:
		return t.Kind() == rdf.KindBlank, true
	case dataset.Literals:
		return t.Kind() == rdf.KindLiteral, true
	case dataset.TripleTerms:
		return t.Kind() == rdf.KindTriple, true
	case dataset.IRIPrefix:
		return t.Kind() == rdf.KindIRI && has(c.Prefix), true
	case dataset.LiteralText:
		return t.Kind() == rdf.KindLiteral && has(c.Prefix), true
	case dataset.NumericRange, dataset.TemporalRange:
		of, key, ok := valuekey.Of([]byte(surface))
		i, known := c.Interval()
		return !known || ok && of == i.Class && i.Lo <= key && key <= i.Hi, false
	}
	return true, false
}
