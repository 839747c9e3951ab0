package segment_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/segment"
)

// TestMapPage builds the worked example of docs/format-map.md and compares it
// with the bytes on that page.
func TestMapPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/format-map.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "## Worked example")
	if ok {
		_, example, ok = strings.Cut(example, "```\n")
	}
	if !ok {
		t.Fatal("no worked example on the page")
	}
	example, _, _ = strings.Cut(example, "```")
	var hex strings.Builder
	for line := range strings.Lines(example) {
		line, _, _ = strings.Cut(line, ";")
		hex.WriteString(line)
	}
	want := unhex(t, hex.String())

	file, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec}}, exampleQuads)
	if !bytes.Equal(file[segment.HeaderSize:1496], exampleFile(t)[segment.HeaderSize:1496]) {
		t.Error("the content is not that of the worked example of the format")
	}
	if got := file[1496:]; !bytes.Equal(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}
