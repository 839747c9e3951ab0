package sparql

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
)

// insertData carries out INSERT DATA.
func (e *executor) insertData(ctx context.Context) error {
	return e.eachBatch(ctx, func(q *rdf.Quad) (err error) {
		q.S, q.O = e.fresh(q.S), e.fresh(q.O)
		q.G, err = storedGraph(q.G)
		return err
	}, func(quads []rdf.Quad) error { return e.insert(ctx, quads) })
}

// deleteData carries out DELETE DATA.
func (e *executor) deleteData(ctx context.Context) error {
	return e.eachBatch(ctx, func(q *rdf.Quad) (err error) {
		q.G, err = storedGraph(q.G)
		return err
	}, func(quads []rdf.Quad) error { return e.delete(ctx, quads) })
}

// dataBatch is how many quads of INSERT DATA and DELETE DATA are handed to the
// transaction at a time.
const dataBatch = 1 << 14

// eachBatch hands on the quads of the operation as they are to be stored, a batch at a time.
func (e *executor) eachBatch(ctx context.Context, store func(*rdf.Quad) error, use func([]rdf.Quad) error) (err error) {
	for left := e.update.data[e.op]; left > 0; {
		n := min(left, dataBatch)
		if e.batch, err = e.reader.read(ctx, n, e.batch[:0]); err != nil {
			return err
		}
		for i := range e.batch {
			if err := store(&e.batch[i]); err != nil {
				return err
			}
		}
		if err := use(e.batch); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// fresh returns a term of INSERT DATA with new names for its blank nodes.
func (e *executor) fresh(t rdf.Term) rdf.Term {
	switch t.Kind() {
	case rdf.KindBlank:
		if algebra.IsNew(t) {
			return e.blank(0, t.Value())
		}
	case rdf.KindTriple:
		s, p, o, _ := t.Triple()
		return rdf.TripleTerm(e.fresh(s), p, e.fresh(o))
	}
	return t
}

// blank returns the blank node of a label in a solution of the running operation:
// b and 32 digits of a hash over transaction, operation, solution and label.
func (e *executor) blank(solution uint64, label string) rdf.Term {
	id := e.tx.ID()
	text := binary.AppendUvarint(nil, uint64(len(id)))
	text = append(text, id...)
	text = binary.AppendUvarint(text, uint64(e.op))
	text = binary.AppendUvarint(text, solution)
	text = append(text, label...)
	sum := blake3.Sum256(text)
	return rdf.Blank("b" + hex.EncodeToString(sum[:16]))
}

// storedGraph returns the graph that quads of a graph of the text are stored in:
// the default graph may be named, the union of all graphs holds nothing itself.
func storedGraph(g rdf.Term) (rdf.Term, error) {
	switch g {
	case DefaultGraph:
		return rdf.Term{}, nil
	case UnionGraph:
		return g, refusal{fmt.Errorf("%s is the union of all named graphs and cannot be changed", g)}
	}
	return g, nil
}
