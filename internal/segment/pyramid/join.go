package pyramid

import (
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
)

// schemaVersion is the first byte of the section of classes of other programs.
const schemaVersion = 1

// Join decodes a pyramid and the section of classes, levels and statistics that other programs
// write apart from it; either may be missing, and what that section has counts.
// It returns nil if there is neither. Errors match [damage.Err].
func Join(pyramid, schema []byte, preds uint32) (p *Pyramid, err error) {
	if len(pyramid) > 0 {
		if p, err = Parse(pyramid, preds); err != nil {
			return nil, err
		}
	}
	if len(schema) == 0 {
		return p, nil
	}
	if schema[0] != schemaVersion {
		return nil, damage.New(format.KindSchema.String(), "version %d, known is %d", schema[0], schemaVersion)
	}
	c := &format.Cursor{Part: format.KindSchema.String(), B: schema, P: 1}
	c.Str() // the predicate that gives a type
	if c.Err != nil {
		return nil, c.Err
	}
	q, err := Parse(schema[c.P:], preds)
	if err != nil {
		return nil, err
	}
	q.Distinct = q.Stats != nil
	if p == nil {
		return q, nil
	}
	if q.Distinct {
		p.Stats, p.Distinct = q.Stats, true
	}
	if q.Schema != nil {
		if p.Schema != nil {
			q.Schema.Communities = p.Schema.Communities
		}
		p.Schema = q.Schema
	}
	return p, nil
}
