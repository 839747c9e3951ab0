package pyramid

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/summary"
)

// Tags of the blocks that follow the base part.
const (
	tagSchema = 2
	tagStats  = 3
	tagSets   = 4
	tagLabels = 5
)

// Append encodes the section; schema is the length of the schema block at its end.
func (p *Pyramid) Append(dst []byte) (_ []byte, schema int) {
	dst = uv(dst, p.Round)
	dst = uv(dst, uint64(len(p.Edges)))
	for _, e := range p.Edges {
		dst = uv(uv(uv(uv(dst, uint64(e.From)), uint64(e.Predicate)), uint64(e.To)), e.Count)
	}
	dst = uv(dst, 0) // tiles
	if p.Stats != nil {
		block := uv(nil, uint64(len(p.Stats)))
		for _, s := range p.Stats {
			block = uv(uv(uv(block, uint64(s.Predicate)), s.Count), s.Subjects)
			block = uv(uv(uv(block, s.Objects), s.MaxObjects), s.MaxSubjects)
		}
		dst = append(uv(append(dst, tagStats), uint64(len(block))), block...)
	}
	if p.Schema == nil {
		return dst, 0
	}
	begin := len(dst)
	dst = p.Schema.append(append(dst, tagSchema))
	return dst, len(dst) - begin
}

func uv(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

// table numbers strings in the order of their first use.
type table struct {
	numbers map[string]uint64
	list    []string
}

func (t *table) of(s string) uint64 {
	n, ok := t.numbers[s]
	if !ok {
		n = uint64(len(t.list))
		t.numbers[s] = n
		t.list = append(t.list, s)
	}
	return n
}

func (t *table) counts(dst []byte, list []summary.ClassCount) []byte {
	dst = uv(dst, uint64(len(list)))
	for _, c := range list {
		dst = uv(uv(dst, t.of(c.Class)), c.Count)
	}
	return dst
}

func (s *Schema) append(dst []byte) []byte {
	t := &table{numbers: map[string]uint64{}}
	b := uv(nil, uint64(len(s.Classes)))
	for _, c := range s.Classes {
		b = uv(uv(b, t.of(c.Name)), uint64(len(c.Parents)))
		for _, p := range c.Parents {
			b = uv(b, t.of(p))
		}
		b = uv(b, uint64(c.Depth))
	}
	b = uv(b, uint64(len(s.Levels)))
	for _, l := range s.Levels {
		b = t.counts(uv(uv(b, l.Round), uint64(l.Depth)), l.Classes)
	}
	b = uv(b, uint64(len(s.Levels)))
	for _, l := range s.Levels {
		b = uv(uv(uv(b, l.Round), uint64(l.Depth)), uint64(len(l.Links)))
		for _, k := range l.Links {
			b = uv(uv(uv(uv(b, t.of(k.From)), t.of(k.Predicate)), t.of(k.To)), k.Count)
		}
	}
	b = t.communities(b, s.Communities)
	b = uv(b, uint64(len(s.Cycles)))
	for _, c := range s.Cycles {
		b = uv(b, uint64(len(c)))
		for _, name := range c {
			b = uv(b, t.of(name))
		}
	}
	for _, pairs := range [][][2]string{s.Disjoint, s.Equivalent} {
		b = uv(b, uint64(len(pairs)))
		for _, p := range pairs {
			b = uv(uv(b, t.of(p[0])), t.of(p[1]))
		}
	}
	dst = uv(dst, uint64(len(t.list)))
	for _, name := range t.list {
		dst = append(uv(dst, uint64(len(name))), name...)
	}
	return append(dst, b...)
}

func (t *table) communities(b []byte, list []summary.Community) []byte {
	b = uv(b, uint64(len(list)))
	for _, c := range list {
		dominant := uint64(0)
		if c.Dominant != "" {
			dominant = t.of(c.Dominant) + 1
		}
		b = t.counts(uv(uv(b, uint64(c.Number)), dominant), c.Classes)
		b = append(b, flag(c.Box != nil))
		if c.Box != nil {
			for _, v := range c.Box {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		b = append(b, flag(c.Time != nil))
		if c.Time != nil {
			for _, v := range c.Time {
				b = append(uv(b, uint64(len(v))), v...)
			}
		}
	}
	return b
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}
