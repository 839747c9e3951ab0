package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/bench/internal/chart"
	"github.com/rete-go/rete/bench/internal/record"
)

// charts are those of the page, each with the beginnings of the names of its measures.
var charts = []struct {
	file, title string
	measures    []string
}{
	{"fold.svg", "Fold and scans, as a share of the speed of their limits", []string{"fold/", "count", "scan/"}},
	{"join.svg", "Joins, as a share of the speed of their limits", []string{"join/", "query-after-update"}},
	{"load.svg", "Load and open, as a share of the speed of their limits", []string{"build", "compaction", "commit/", "replay", "open"}},
	{"size.svg", "Size, memory and rounds, as a share of the least", []string{"size/", "memory/", "remote/"}},
}

// drawAll writes the charts and the table of the last record, if there is one.
func drawAll(records, docs string) error {
	list, err := record.Read(records)
	if err != nil || len(list) == 0 {
		return err
	}
	if err := os.MkdirAll(filepath.Join(docs, "charts"), 0o755); err != nil {
		return err
	}
	for _, c := range charts {
		var out bytes.Buffer
		if err := chart.Draw(&out, c.title, panels(list, c.measures)); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, "charts", c.file), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	name := filepath.Join(docs, "performance.md")
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	page, err = withTable(page, list[len(list)-1])
	if err != nil {
		return err
	}
	return os.WriteFile(name, page, 0o644)
}

// panels has one for each measure of the last record whose name begins so.
func panels(list []*record.Record, prefixes []string) (out []chart.Panel) {
	last := list[len(list)-1]
	for _, v := range record.Judge(last, list) {
		if !begins(v.Name, prefixes) {
			continue
		}
		p := chart.Panel{Title: v.Name, Below: figure(v.Ratio), Floor: v.Floor()}
		var before *record.Record
		for _, r := range list {
			ratio, ok := r.Ratios[v.Name]
			if !ok {
				continue
			}
			p.Points = append(p.Points, chart.Point{
				Label: r.Short(), Low: ratio.Low, At: ratio.At, High: ratio.High,
				Note:  fmt.Sprintf("%s %s: %.4g (%.4g to %.4g), %s", r.Short(), r.Subject, ratio.At, ratio.Low, ratio.High, figure(ratio)),
				Apart: before != nil && !r.Comparable(before),
			})
			before = r
		}
		out = append(out, p)
	}
	return out
}

func begins(name string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// figure is what was measured, in absolute figures.
func figure(r record.Ratio) string {
	if r.Value > 0 {
		return fmt.Sprintf("%.4g %s", r.Value, r.Unit)
	}
	return fmt.Sprintf("%s, %s %s/s", took(r.Work), count(float64(r.N)/r.Work*1e9), r.Unit)
}

// took is a time of ns.
func took(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.3g ns", ns)
}

// count is a large number.
func count(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.3g M", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.3g k", n/1e3)
	}
	return fmt.Sprintf("%.3g", n)
}

// The table of the page lies between these lines.
const begin, end = "<!-- figures of the last record, by go run ./bench/record -->\n", "<!-- end of the figures -->\n"

// withTable returns the page with the table of a record.
func withTable(page []byte, r *record.Record) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, also := bytes.Cut(rest, []byte(end))
	if !ok || !also {
		return nil, fmt.Errorf("the page has no lines %q and %q", begin, end)
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(begin)
	fmt.Fprintf(&b, "\nCommit %s, measured %s with %s on %s, %d × %s, load %s, %d rounds.\n\n",
		r.Short(), r.Measured.Format("2006-01-02 15:04 MST"), r.Go, r.Machine.System, r.Machine.CPUs, r.Machine.CPU, r.Machine.Load, r.Rounds)
	b.WriteString("| measure | rete | limit | ratio | 95% interval |\n| --- | --- | --- | --- | --- |\n")
	for _, v := range record.Judge(r, nil) {
		limit := took(v.Ratio.Limit)
		if v.Ratio.Value > 0 {
			limit = fmt.Sprintf("%.4g", v.Ratio.Of)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.3g | %.3g to %.3g |\n", v.Name, figure(v.Ratio), limit, v.Ratio.At, v.Ratio.Low, v.Ratio.High)
	}
	b.WriteString("\n" + end)
	b.Write(after)
	return b.Bytes(), nil
}
