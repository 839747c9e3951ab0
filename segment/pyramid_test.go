package segment_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/rete-go/rete/segment"
)

// section returns the bytes of a section of a file.
func section(t *testing.T, file []byte, k segment.Kind) []byte {
	t.Helper()
	h, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	r := h.Section(k)
	return file[r.Offset:][:r.Length]
}

// TestPyramidBytes compares the section of the worked example of the format with its bytes.
func TestPyramidBytes(t *testing.T) {
	qs := []quad{
		{"<http://ex/a>", "<http://ex/knows>", "<http://ex/b>"},
		{"<http://ex/b>", "<http://ex/name>", `"Bob"@en`},
		{"<http://ex/a>", "<http://ex/name>", `"Al"`, "<http://ex/g>"},
	}
	file, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true}}, qs)
	want := strings.ReplaceAll("00 02 00 01 00 01 00 02 00 01 00 03 0d 02 01 01 01 01 01 01 02 01 01 01 01 01", " ", "")
	if got := hex.EncodeToString(section(t, file, segment.KindPyramid)); got != want {
		t.Errorf("pyramid %s, want %s", got, want)
	}
	empty, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Pyramid: true}}, qs[2:])
	if got := section(t, empty, segment.KindPyramid); len(got) > 0 {
		t.Errorf("without a default graph the pyramid is % x", got)
	}
}

// TestPyramidSameBytes: neither the memory nor the workers, nor the codec or the orders that the
// file stores, make a difference to the pyramid; and the files that have it verify.
func TestPyramidSameBytes(t *testing.T) {
	qs := manyQuads(4000)
	var want []byte
	for _, opt := range []segment.BuildOptions{
		{Workers: 1}, {Workers: 2}, {MaxMemory: 1 << 20}, {WriterOptions: segment.WriterOptions{ThreeOrders: true}},
		{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec}}, {WriterOptions: segment.WriterOptions{Plain: true}},
	} {
		opt.Pyramid = true
		opt.TempDir = t.TempDir()
		file, built := build(t, &opt, qs)
		got := section(t, file, segment.KindPyramid)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: another pyramid", opt)
		}
		s := open(t, file, &segment.Options{Pin: built.Pin()})
		if err := s.Verify(t.Context(), nil); err != nil {
			t.Errorf("%+v: %v", opt, err)
		}
		s.Close()
	}
}
