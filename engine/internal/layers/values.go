package layers

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
)

// ValueIndex is the value index of a layer: ids are local to [ObjectOnly], in the
// order of their keys, and places count from 0.
type ValueIndex interface {
	Len(c valuekey.Class) uint64
	Find(ctx context.Context, i dataset.Interval) (from, to uint64, err error)
	Key(ctx context.Context, c valuekey.Class, place uint64) (valuekey.Key, error)
	IDs(ctx context.Context, c valuekey.Class, from, to uint64, use func([]uint32)) error
}

// Valued is a layer that may have a value index. worth is how many literals may be
// read to make one. It returns nil without an index.
type Valued interface {
	Values(ctx context.Context, worth uint64) (ValueIndex, error)
}

// always is how many literals are read for a value index whatever it is wanted for.
const always = 1 << 14

// Values implements [valued]: the index of the file, or one that is made.
func (s *Segment) Values(ctx context.Context, worth uint64) (ValueIndex, error) {
	stored, err := s.Seg.Values(ctx)
	if err != nil {
		return nil, err
	}
	if stored != nil {
		return stored, nil
	}
	if ok, err := worthy(ctx, s, worth); err != nil || !ok {
		return nil, err
	}
	made, err := s.Seg.MadeValues(ctx)
	if err != nil || made == nil {
		return nil, err
	}
	return made, nil
}

// Values implements [valued]. The index of the file speaks of other spellings.
func (l *Respelled) Values(context.Context, uint64) (ValueIndex, error) { return nil, nil }

// Values implements [valued].
func (m *Memory) Values(ctx context.Context, worth uint64) (ValueIndex, error) {
	if ok, err := worthy(ctx, m, worth); err != nil || !ok {
		return nil, err
	}
	m.valuesOnce.Do(func() {
		b := valueindex.NewBuilder(nil)
		for i, t := range m.terms[ObjectOnly] {
			if m.valuesErr = b.Add(uint32(i)+1, []byte(t)); m.valuesErr != nil {
				return
			}
		}
		m.made, m.valuesErr = valueindex.Make(context.WithoutCancel(ctx), b)
	})
	return m.made, m.valuesErr
}

// worthy reports whether an index of the literals of a layer may be made: they are
// few enough, and none of them is also a subject.
func worthy(ctx context.Context, l Layer, worth uint64) (bool, error) {
	n, err := literals(ctx, l, ObjectOnly)
	if err != nil || n > max(worth, always) {
		return false, err
	}
	for _, sec := range []Section{Shared, SubjectOnly} {
		if n, err := literals(ctx, l, sec); err != nil || n > 0 {
			return false, err
		}
	}
	return true, nil
}

// literals returns how many literals a section of a layer has.
func literals(ctx context.Context, l Layer, sec Section) (uint64, error) {
	counts := l.Counts()
	if counts.Size(sec) == 0 {
		return 0, nil
	}
	lo, err := l.LowerBound(ctx, sec, []byte(`"`))
	if err != nil {
		return 0, err
	}
	hi, err := l.LowerBound(ctx, sec, []byte(`#`))
	return uint64(hi - lo), err
}
