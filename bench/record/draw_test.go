package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/bench/internal/probe"
	"github.com/rete-go/rete/bench/internal/record"
	"github.com/rete-go/rete/bench/internal/steady"
)

// The charts and the table of the page are those of the records that are kept.
func TestDrawn(t *testing.T) {
	docs := filepath.FromSlash("../../docs")
	page, err := os.ReadFile(filepath.Join(docs, "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "performance.md"), page, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := drawAll("records", dir); err != nil {
		t.Fatal(err)
	}
	names := []string{"performance.md"}
	for _, c := range charts {
		names = append(names, "charts/"+c.file)
		if !bytes.Contains(page, []byte("(charts/"+c.file+")")) {
			t.Errorf("the page does not show %s", c.file)
		}
	}
	for _, name := range names {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(docs, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not of the records (%v): go run ./bench/record -charts", name, err)
		}
	}
}

// Every measure has a panel, and a line in the page.
func TestPanels(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../docs/performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Record{Commit: "0123456789", Ratios: map[string]record.Ratio{}}
	add := func(name string) { r.Ratios[name] = record.Ratio{Interval: steady.Interval{Low: 1, At: 1, High: 1}} }
	for _, m := range probe.Measures {
		add(m.Name)
	}
	for _, what := range probe.Peaks {
		add("memory/" + what)
	}
	shown := make(map[string]int)
	for _, c := range charts {
		for _, p := range panels([]*record.Record{r}, c.measures) {
			shown[p.Title]++
		}
	}
	for name := range r.Ratios {
		if shown[name] != 1 {
			t.Errorf("%s has %d panels", name, shown[name])
		}
		if group, _, _ := strings.Cut(name, "/"); !bytes.Contains(page, []byte("\n| "+group)) {
			t.Errorf("the page does not say what %s measures", name)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, c := range []struct {
		r    record.Ratio
		want string
	}{
		{record.Ratio{Work: 2_500_000, N: 200_000, Unit: "rows"}, "2.5 ms, 80 M rows/s"},
		{record.Ratio{Work: 40_000, N: 1, Unit: "counts"}, "40 µs, 25 k counts/s"},
		{record.Ratio{Work: 400, N: 0, Unit: "x"}, "400 ns, 0 x/s"},
		{record.Ratio{Value: 18.379, Unit: "bytes a statement"}, "18.38 bytes a statement"},
	} {
		if got := figure(c.r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if _, err := withTable([]byte("no lines"), &record.Record{}); err == nil {
		t.Error("a page without the lines has a table")
	}
}
