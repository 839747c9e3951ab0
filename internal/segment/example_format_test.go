package segment_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// The worked example of docs/file-format.md: dictionary, index and named graphs.
const (
	exampleDictionary = `04
25 04 01100100 01 00 0d3c687474703a2f2f65782f623e 0f 000d3c687474703a2f2f65782f623e
25 04 01100100 01 00 0d3c687474703a2f2f65782f613e 0f 000d3c687474703a2f2f65782f613e
1c 04 02100100 01 00 0422416c22 0f 000422416c22 0107426f622240656e
34 04 02100100 01 00 113c687474703a2f2f65782f6b6e6f77733e 1a
00113c687474703a2f2f65782f6b6e6f77733e 0b056e616d653e`
	exampleIndex = `06
1a 01010112 01020102010302 02 0101020103 0101010101 01010102
1a 01010112 01020103010202 02 0101010102 0101030101 01020101
1a 01010212 01030102010202 02 0101020101 0201010102 01010101
1a 01010112 01020103010202 02 0101030102 0101010101 01020101
1a 01010112 01020102010302 02 0101020101 0101010103 01010102
1a 01010212 01030102010202 02 0101010102 0201020101 01010101`
	exampleGraphs = `01 0d3c687474703a2f2f65782f673e 8501 06
15 0102000d 02020202020201 01 0201020102 02000200
15 0102000d 02020202020201 01 0201020102 02000200
15 0102000d 02020202020201 01 0201020102 02000200
15 0102000d 02020202020201 01 0201020102 02000200
15 0102000d 02020202020201 01 0201020102 02000200
15 0102000d 02020202020201 01 0201020102 02000200`
	exampleHeader = `52455445050300 0427aa007f81b64555 923002ddf01c0893 0300000000000000
0600000000000000 0000000005000000 0000000000000000 0000000000000000
0100000000000000 0004000000000000 0000000000000000 0200000000000000
0004000000000000 9f00000000000000 0300000000000000 9f04000000000000
a300000000000000 0400000000000000 0000000000000000 0000000000000000
0500000000000000 4205000000000000 9600000000000000`
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func exampleFile(t testing.TB) []byte {
	b := make([]byte, 1024)
	copy(b, unhex(t, exampleHeader))
	b = append(b, unhex(t, exampleDictionary)...)
	b = append(b, unhex(t, exampleIndex)...)
	b = append(b, unhex(t, exampleGraphs)...)
	return append(b, "RETE"...)
}

func writeGraph(t testing.TB, w *segment.Writer, name string, spo [][3]uint32) {
	t.Helper()
	var raw []byte
	if name != "" {
		raw = []byte(name)
	}
	g, err := w.Graph(raw)
	if err != nil {
		t.Fatal(err)
	}
	for o := range tile.Order(tile.NumOrders) {
		rows := make([][3]uint32, len(spo))
		for i, r := range spo {
			rows[i] = o.Permute(r)
		}
		sortRows(rows)
		ow, err := g.Order(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if err := ow.Add(r[0], r[1], r[2]); err != nil {
				t.Fatal(err)
			}
		}
		if err := ow.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWriterWorkedExample(t *testing.T) {
	w := segment.NewWriter(&segment.WriterOptions{Codec: segment.RawCodec, Plain: true})
	for _, term := range []struct {
		surface string
		roles   segment.Role
	}{
		{`"Al"`, segment.InObject},
		{`"Bob"@en`, segment.InObject},
		{`<http://ex/a>`, segment.InSubject},
		{`<http://ex/b>`, segment.InSubject | segment.InObject},
		{`<http://ex/g>`, segment.InGraph},
		{`<http://ex/knows>`, segment.InPredicate},
		{`<http://ex/name>`, segment.InPredicate},
	} {
		if _, err := w.AddTerm([]byte(term.surface), term.roles); err != nil {
			t.Fatal(err)
		}
	}
	writeGraph(t, w, "", [][3]uint32{{1, 2, 3}, {2, 1, 1}})
	writeGraph(t, w, "<http://ex/g>", [][3]uint32{{2, 2, 2}})
	var got bytes.Buffer
	built, err := w.WriteTo(context.Background(), &got)
	if err != nil {
		t.Fatal(err)
	}
	if want := exampleFile(t); !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got %d bytes\n%x\nwant %d\n%x", got.Len(), got.Bytes(), len(want), want)
	}
	if built.Size != 1500 || hex.EncodeToString(built.Hash[:]) != "27aa007f81b64555923002ddf01c0893" {
		t.Errorf("built %+v", built)
	}
}

func TestWriterEmpty(t *testing.T) {
	w := segment.NewWriter(&segment.WriterOptions{Codec: segment.RawCodec, Plain: true})
	var got bytes.Buffer
	built, err := w.WriteTo(context.Background(), &got)
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != 1066 || hex.EncodeToString(built.Hash[:]) != "9fa1545b839bdad324c2d5e5d25c8f4a" {
		t.Errorf("%d bytes with hash %x", got.Len(), built.Hash)
	}
}
