package dataset

import (
	"context"

	"github.com/rete-go/rete/sparql/value"
)

// Values is a list of typed values.
type Values struct{ V []value.Value }

// DecodeValues appends the typed values of ids to out by decoding their
// surfaces: the plain way to implement [Dataset.Values].
func DecodeValues(ctx context.Context, d Dataset, ids []ID, out *Values) error {
	var terms Terms
	if err := d.Decode(ctx, ids, &terms); err != nil {
		return err
	}
	for i := range terms.Len() {
		out.V = append(out.V, value.Decode(terms.At(i)))
	}
	return nil
}
