package segment_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// readBack opens a file that may be hurt and reads all of it, in two orders.
func readBack(file []byte, name string, opt segment.Options) ([]quad, error) {
	ctx := context.Background()
	opt.Cache = cache.New(1 << 20)
	s, err := segment.Open(ctx, blob.Bytes(name, file), &opt)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	got, err := dump(ctx, s, tile.SPO)
	if err != nil {
		return nil, err
	}
	again, err := dump(ctx, s, tile.POS)
	if err != nil {
		return nil, err
	}
	sortQuads(got)
	sortQuads(again)
	if !slices.Equal(got, again) {
		return nil, errors.New("two orders with different quads")
	}
	if n, err := s.Quads(ctx); err != nil {
		return nil, err
	} else if n != uint64(len(got)) {
		return nil, fmt.Errorf("count of %d, %d rows", n, len(got))
	}
	return got, nil
}

// hurtViews are the ways in which a hurt file is opened.
func hurtViews(built *segment.Built) map[string]segment.Options {
	return map[string]segment.Options{
		"mem.rete":                     {Pin: built.Pin()},
		"https://example.org/mem.rete": {Pin: built.Pin()},
		"hash.rete":                    {Pin: &segment.Pin{Size: built.Size, Hash: built.Hash}},
		"unpinned.rete":                {},
	}
}

// checkHurt wants an error of damage, or the same quads.
func checkHurt(t *testing.T, what string, file []byte, built *segment.Built, want []quad) {
	t.Helper()
	for name, opt := range hurtViews(built) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := readBack(file, name, opt)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20+uint64(50*len(file)) {
			t.Errorf("%s, %s: %d bytes allocated", name, what, n)
		}
		var other *segment.UnsupportedError
		switch {
		case err == nil && !slices.Equal(got, want):
			t.Fatalf("%s, %s: other quads and no error: %d, want %d", name, what, len(got), len(want))
		case err != nil && !errors.Is(err, damage.Err) && !errors.As(err, &other):
			t.Fatalf("%s, %s: not an error of damage: %v", name, what, err)
		case err != nil && !bytes.Contains([]byte(err.Error()), []byte(name)):
			t.Fatalf("%s, %s: the error does not name the file: %v", name, what, err)
		}
	}
}

func TestFlippedBytes(t *testing.T) {
	file, built := build(t, nil, exampleQuads)
	want := distinctQuads(exampleQuads)
	for i := range file {
		masks := []byte{0x01, 0x80, 0xff}
		if !longtest.On() {
			masks = masks[i%3:][:1]
		}
		for _, mask := range masks {
			hurt := bytes.Clone(file)
			hurt[i] ^= mask
			checkHurt(t, fmt.Sprintf("byte %d ^ 0x%02x", i, mask), hurt, built, want)
		}
	}
}

func TestTruncated(t *testing.T) {
	file, built := build(t, nil, exampleQuads)
	step := longtest.Pick(5, 1)
	for n := 0; n < len(file); n += step {
		for name, opt := range hurtViews(built) {
			if got, err := readBack(file[:n], name, opt); err == nil {
				t.Fatalf("%s cut to %d bytes: %d quads and no error", name, n, len(got))
			} else if !errors.Is(err, damage.Err) {
				t.Fatalf("%s cut to %d bytes: %v", name, n, err)
			}
		}
	}
	longer := append(bytes.Clone(file), 0)
	checkHurt(t, "one byte more", longer, built, distinctQuads(exampleQuads))
}

// TestFlippedBytesLarge hurts a file that has every kind of unit: pages, several
// chunks and tiles, graphs stored whole and graphs listed tile by tile.
func TestFlippedBytesLarge(t *testing.T) {
	n, flips := longtest.Pick(2000, 4000), longtest.Pick(100, 400)
	qs := manyQuads(n)
	file, built := build(t, nil, qs)
	want := distinctQuads(qs)
	r := rand.New(rand.NewPCG(7, 8))
	for range flips {
		i := r.IntN(len(file))
		mask := byte(1 + r.IntN(255))
		hurt := bytes.Clone(file)
		hurt[i] ^= mask
		checkHurt(t, fmt.Sprintf("byte %d ^ 0x%02x", i, mask), hurt, built, want)
	}
}

// TestHurtUnitNotNeeded: a query that does not need the changed byte is right.
func TestHurtUnitNotNeeded(t *testing.T) {
	ctx := context.Background()
	qs := manyQuads(60_000)
	file, built := build(t, nil, qs)
	s := open(t, file, &segment.Options{Pin: built.Pin()})
	entries, err := s.Entries(ctx, 0, tile.SPO)
	if err != nil || len(entries) < 3 {
		t.Fatal(len(entries), err)
	}
	hurt := bytes.Clone(file)
	hurt[entries[1].Off+5] ^= 4
	s = open(t, hurt, &segment.Options{Pin: built.Pin()})
	if _, err := s.Count(ctx, 0, tile.SPO, entries[0].MinA); err != nil {
		t.Errorf("tile 0: %v", err)
	}
	scan, err := s.Scan(ctx, 0, tile.SPO, entries[1].MinA+1)
	if err == nil {
		_, err = scan.Next(ctx)
	}
	if !errors.Is(err, damage.Err) {
		t.Errorf("tile 1: %v, want damage", err)
	}
	if err := s.Verify(ctx, nil); !errors.Is(err, damage.Err) {
		t.Errorf("verify: %v, want damage", err)
	}
}

func TestOtherGenerations(t *testing.T) {
	file, _ := build(t, nil, exampleQuads)
	for _, b := range []byte{0x00, 0x04, 0x07, 0x08, 0x50} {
		other := bytes.Clone(file)
		other[4] = b
		_, err := segment.Open(context.Background(), blob.Bytes("new.rete", other), nil)
		var unsupported *segment.UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Generation != b || unsupported.Object != "new.rete" {
			t.Errorf("format byte 0x%02x: %v", b, err)
		}
	}
}

func TestWrongPin(t *testing.T) {
	file, built := build(t, nil, exampleQuads)
	for name, change := range map[string]func(*segment.Pin){
		"size":  func(p *segment.Pin) { p.Size++ },
		"hash":  func(p *segment.Pin) { p.Hash[3]++ },
		"extra": func(p *segment.Pin) { p.Extra[3]++ },
	} {
		pin := built.Pin()
		change(pin)
		if _, err := segment.Open(context.Background(), blob.Bytes("mem.rete", file), &segment.Options{Pin: pin}); !errors.Is(err, damage.Err) {
			t.Errorf("wrong %s: %v", name, err)
		}
	}
}

func TestPinOf(t *testing.T) {
	file, built := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{BuildInfo: []byte("{}")}}, exampleQuads)
	pin, head, err := segment.PinOf(context.Background(), blob.Bytes("mem.rete", file))
	if err != nil {
		t.Fatal(err)
	}
	if pin.Size != built.Size || pin.Hash != built.Hash || *pin.Extra != built.Extra || head.Quads != 3 {
		t.Errorf("got %+v, built %+v", pin, built)
	}
}

// reseal makes the hashes of a file right, whatever its bytes are, so that what
// lies after them gets to see the bytes. It returns nil if there is no header.
func reseal(file []byte) *segment.Pin {
	h, err := segment.ParseHeader(file)
	if err != nil || h.FileSize() > uint64(len(file)) {
		return nil
	}
	hash := blake3.New(32, nil)
	for _, k := range []segment.Kind{format.KindMetadata, segment.KindDictionary, segment.KindIndex, segment.KindPyramid, format.KindTextIndex, segment.KindNamedGraphs} {
		if r := h.Section(k); r.Length > 0 {
			hash.Write(file[r.Offset : r.Offset+r.Length])
		}
	}
	copy(file[8:24], hash.Sum(nil))
	list := h.Section(segment.KindDigests)
	var records []byte
	for _, r := range h.Sections {
		if r.Kind >= format.KindMetadata && r.Kind <= format.KindTextIndex || r.Kind == segment.KindDigests || r.Length == 0 {
			continue
		}
		records = binary.LittleEndian.AppendUint16(records, uint16(r.Kind))
		records = binary.LittleEndian.AppendUint64(records, r.Length)
		sum := blake3.Sum256(file[r.Offset : r.Offset+r.Length])
		records = append(records, sum[:]...)
	}
	if uint64(len(records)) == list.Length {
		copy(file[list.Offset:], records)
	}
	extra := blake3.New(32, nil)
	extra.Write(file[:segment.HeaderSize])
	extra.Write(records)
	pin := &segment.Pin{Size: int64(len(file)), Extra: new([16]byte)}
	copy(pin.Hash[:], file[8:24])
	copy(pin.Extra[:], extra.Sum(nil))
	return pin
}

// TestVerifyFinds changes a file in ways that its hashes agree with, and wants
// Verify to see it.
func TestVerifyFinds(t *testing.T) {
	ctx := context.Background()
	opt := &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec}}
	file, _ := build(t, opt, exampleQuads)
	h, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	index := h.Section(segment.KindIndex).Offset
	dictionary := h.Section(segment.KindDictionary).Offset
	for name, change := range map[string]func(b []byte){
		"quads":            func(b []byte) { b[24]++ },
		"terms":            func(b []byte) { b[32]++ },
		"named graph flag": func(b []byte) { b[5] ^= format.FlagNamedGraphs },
		"quoted flag":      func(b []byte) { b[5] ^= format.FlagTripleTerms },
		"reserved byte":    func(b []byte) { b[60] = 1 },
		"entry flags":      func(b []byte) { b[66] = 1 },
		"header length":    func(b []byte) { b[6] = 1 },
		"footer":           func(b []byte) { b[len(b)-1] = 'x' },
		"a row of OPS":     func(b []byte) { b[index+163-5-4]-- },
		"a synopsis":       func(b []byte) { b[index+26]++ },
		"a term":           func(b []byte) { b[dictionary+36] = '!' },
	} {
		hurt := bytes.Clone(file)
		change(hurt)
		pin := reseal(hurt)
		if pin == nil {
			t.Errorf("%s: no header any more", name)
			continue
		}
		for _, pin := range []*segment.Pin{nil, pin} {
			s, err := segment.Open(ctx, blob.Bytes("mem.rete", hurt), &segment.Options{Pin: pin})
			if err == nil {
				err = s.Verify(ctx, nil)
			}
			if !errors.Is(err, damage.Err) {
				t.Errorf("%s: verify says %v", name, err)
			}
		}
	}
}
