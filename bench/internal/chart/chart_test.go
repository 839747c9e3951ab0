package chart_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/rete-go/rete/bench/internal/chart"
)

var update = flag.Bool("update", false, "write the golden file")

// A document is XML, and that of the golden file, which was seen as a picture.
func TestDraw(t *testing.T) {
	var out bytes.Buffer
	err := chart.Draw(&out, "Some & more", []chart.Panel{
		{Title: "three, the last apart", Below: "12 rows a second", Floor: 0.2, Points: []chart.Point{
			{Label: "a", Note: "a: 0.3 <of it>", Low: 0.25, At: 0.3, High: 0.31},
			{Label: "b", Low: 0.2, At: 0.28, High: 0.33},
			{Label: "c", Low: 0.3, At: 0.31, High: 0.36, Apart: true}}},
		{Title: "one", Points: []chart.Point{{Label: "a", Low: 1100, At: 1200, High: 1250}}},
		{Title: "none"},
		{Title: "equal", Points: []chart.Point{{Label: "a", Low: 5, At: 5, High: 5}, {Label: "b", Low: 5, At: 5, High: 5}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/chart.svg"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(want, out.Bytes()) {
		t.Errorf("%s differs (%v); -update writes it", golden, err)
	}
}
