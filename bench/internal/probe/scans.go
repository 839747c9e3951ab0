package probe

import (
	"slices"

	"github.com/rete-go/rete/bench/internal/limits"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/dataset"
)

// scan: all rows of the base in an order, from decoded tiles. Its limit copies them.
func scan(e *env, o dataset.Order) measure {
	b := e.loaded()
	return measure{unit: "rows", n: e.drain(b.snapshot, dataset.Pattern{}, o), pair: steady.Pair{
		Work:  timed(func() { e.drain(b.snapshot, dataset.Pattern{}, o) }),
		Limit: func() { limits.Copy(b.rows) },
		Works: 12, Limits: 20,
	}}
}

func scanSPO(e *env) measure { return scan(e, dataset.SPO) }
func scanPOS(e *env) measure { return scan(e, dataset.POS) }

// scanDecode: the first scan of the base after it was opened. Its limit decodes the rows from
// numbers of variable length.
func scanDecode(e *env) measure {
	b := e.loaded()
	data := limits.Encode(b.rows)
	return measure{unit: "rows", n: len(b.rows), pair: steady.Pair{
		Work:  e.first(e.store(storeBase)),
		Limit: func() { limits.Decode(data) },
		Works: 2, Limits: 8,
	}}
}

// scanTerms: a predicate's rows as terms. Its limit copies the texts of the terms.
func scanTerms(e *env) measure {
	s, q := e.loaded().queries, parse("SELECT ?x ?t { ?x :text ?t }")
	terms := func(use func(text string)) (n int) {
		rows, err := s.Select(e.ctx, q)
		e.fail(err)
		for row, err := range rows.All() {
			e.fail(err)
			use(row.At(0).String())
			use(row.At(1).String())
			n++
		}
		return n
	}
	var texts [][]byte
	n := terms(func(t string) { texts = append(texts, slices.Clip([]byte(t))) })
	var buf []byte
	size := 0
	return measure{unit: "rows", n: n, pair: steady.Pair{
		Work:  timed(func() { terms(func(t string) { size += len(t) }) }),
		Limit: func() { buf = limits.Join(texts, buf) },
		Works: 2, Limits: 40,
	}}
}
