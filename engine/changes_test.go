package engine_test

import (
	"iter"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
)

// eachChange calls f for each change of a sequence, until an error of either.
func eachChange(changes iter.Seq2[engine.Change, error], f func(added bool, q *rdf.RawQuad) error) error {
	for c, err := range changes {
		if err == nil {
			err = f(c.Added, c.Quad)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
