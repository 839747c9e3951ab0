package quadtest

import (
	"iter"

	"github.com/rete-go/rete/rdf"
)

// Each calls f for each quad of a sequence, until an error of either.
func Each(quads iter.Seq2[*rdf.RawQuad, error], f func(*rdf.RawQuad) error) error {
	for q, err := range quads {
		if err == nil {
			err = f(q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
