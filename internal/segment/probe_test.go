package segment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
)

// probeQuads have literals with values, and graphs of one unit and of many.
func probeQuads() []quad {
	qs := append([]quad(nil), exampleQuads...)
	for i := range 3000 {
		qs = append(qs, quad{fmt.Sprintf("<http://ex/%d>", i*7%1000), fmt.Sprintf("<http://ex/p%d>", i%3),
			fmt.Sprintf(`"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, i), []string{"", "<http://ex/g>", "<http://ex/large>"}[i%3]})
	}
	return qs
}

func probe(file []byte, name string, pin *segment.Pin) error {
	s, err := segment.Open(context.Background(), blob.Bytes(name, file), &segment.Options{Pin: pin})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Probe(context.Background())
}

func TestProbeTakesGoodFiles(t *testing.T) {
	for name, opt := range map[string]*segment.WriterOptions{
		"default": {}, "raw": {Codec: segment.RawCodec}, "three orders": {Orders: 3}, "no values": {NoValues: true},
		"plain": {Plain: true}, "with metadata": {Metadata: []byte("{}"), BuildInfo: []byte("{}")},
	} {
		for _, qs := range [][]quad{nil, exampleQuads, probeQuads()} {
			file, built := build(t, &segment.BuildOptions{WriterOptions: *opt}, qs)
			for _, object := range []string{"mem.rete", "https://example.org/mem.rete"} {
				if err := probe(file, object, built.Pin()); err != nil {
					t.Errorf("%s, %d quads, %s: %v", name, len(qs), object, err)
				}
			}
		}
	}
}

// TestProbeFindsDamage changes each byte of what is read first of a segment, and of
// the units that are read: all of a file that has one of each kind.
func TestProbeFindsDamage(t *testing.T) {
	opt := segment.WriterOptions{Metadata: []byte(`{"a":1}`), BuildInfo: []byte(`{"b":2}`)}
	file, built := build(t, &segment.BuildOptions{WriterOptions: opt}, exampleQuads)
	h, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	missed := map[segment.Kind]int{}
	for at := range file {
		hurt := bytes.Clone(file)
		hurt[at] ^= 1 << (at % 8)
		if err := probe(hurt, "mem.rete", built.Pin()); errors.Is(err, damage.Err) {
			continue
		} else if errors.As(err, new(*segment.UnsupportedError)) {
			continue
		} else if err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
		kind := segment.Kind(0)
		for _, s := range h.Sections {
			if uint64(at) >= s.Offset && uint64(at) < s.Offset+s.Length {
				kind = s.Kind
			}
		}
		missed[kind]++
	}
	// What no reader with a map reads: offsets of runs, and the names and lengths
	// that stand between the named graphs.
	delete(missed, segment.KindDictionary)
	delete(missed, segment.KindNamedGraphs)
	if len(missed) > 0 {
		t.Errorf("not found: %v", missed)
	}
}

// TestProbeFindsDamageInLarge is for a file of many units.
func TestProbeFindsDamageInLarge(t *testing.T) {
	file, built := build(t, nil, probeQuads())
	h, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range h.Sections {
		if s.Kind < segment.KindDigests || s.Kind == segment.KindValuePages {
			continue
		}
		for i := range 40 {
			hurt := bytes.Clone(file)
			at := s.Offset + s.Length*uint64(i)/40
			hurt[at] ^= 0x10
			if err := probe(hurt, "mem.rete", built.Pin()); !errors.Is(err, damage.Err) {
				t.Errorf("%v, byte %d: %v", s.Kind, at-s.Offset, err)
			}
		}
	}
}
