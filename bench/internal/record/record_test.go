package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/bench/internal/record"
	"github.com/rete-go/rete/bench/internal/steady"
)

// made is a record of one ratio, n days after the first.
func made(n int, low, at, high float64) *record.Record {
	return &record.Record{Commit: strings.Repeat(string(rune('a'+n)), 40), Committed: time.Date(2026, 1, 1+n, 0, 0, 0, 0, time.UTC),
		Go: "go1.26.8", Machine: record.Machine{System: "linux/amd64", CPU: "x", CPUs: 2, Load: "1"}, Version: 1,
		Ratios: map[string]record.Ratio{"fold": {Interval: steady.Interval{Low: low, At: at, High: high}, Unit: "rows", N: 10, Work: 5}}}
}

func TestWriteAndRead(t *testing.T) {
	dir := t.TempDir()
	a, b := made(0, 1, 2, 3), made(1, 2, 3, 4)
	for _, r := range []*record.Record{b, a, b} {
		if _, err := r.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	got, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*record.Record{a, b}, got); d != "" {
		t.Error(d)
	}
	for name, text := range map[string]string{
		"no JSON":     "{",
		"no commit":   `{"ratios":{"a":{"low":1,"at":1,"high":1}}}`,
		"no interval": `{"commit":"1234567890","committed":"2026-01-01T00:00:00Z","ratios":{"a":{"low":2,"at":1,"high":3}}}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "1.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := record.Read(dir); err == nil || !strings.Contains(err.Error(), "1.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestJudge(t *testing.T) {
	steadyAt := func(n int, at float64) *record.Record { return made(n, at*0.98, at, at*1.02) }
	var eleven []*record.Record
	eleven = append(eleven, steadyAt(0, 2)) // no longer among the last ten
	for n := range 10 {
		eleven = append(eleven, steadyAt(n+1, 1))
	}
	other := func(f func(*record.Record)) []*record.Record {
		r := steadyAt(0, 1)
		f(r)
		return []*record.Record{r}
	}
	for _, c := range []struct {
		name    string
		now     *record.Record
		earlier []*record.Record
		best    float64
		worse   bool
	}{
		{"a third slower", steadyAt(20, 0.75), eleven, 1, true},
		{"a tenth slower", steadyAt(20, 0.9), eleven, 1, false},
		{"slower, but nobody knows", made(20, 0.5, 0.75, 0.86), eleven, 1, false},
		{"faster", steadyAt(20, 1.5), eleven, 1, false},
		{"the best of several", steadyAt(20, 0.9), append(eleven, steadyAt(12, 1.2)), 1.2, true},
		{"no record", steadyAt(20, 0.1), nil, 0, false},
		{"another machine", steadyAt(20, 0.1), other(func(r *record.Record) { r.Machine.CPUs = 4 }), 0, false},
		{"another load", steadyAt(20, 0.1), other(func(r *record.Record) { r.Machine.Load = "9" }), 1, true},
		{"another release of Go", steadyAt(20, 0.1), other(func(r *record.Record) { r.Go = "go1.27.8" }), 0, false},
		{"another correction of Go", steadyAt(20, 0.1), other(func(r *record.Record) { r.Go = "go1.26.1" }), 1, true},
		{"other measures", steadyAt(20, 0.1), other(func(r *record.Record) { r.Version = 2 }), 0, false},
	} {
		list := record.Judge(c.now, c.earlier)
		if len(list) != 1 || list[0].Best != c.best || list[0].Worse != c.worse {
			t.Errorf("%s: %+v", c.name, list)
		}
	}
}

func TestNoisy(t *testing.T) {
	verdicts := func(widths ...float64) (list []record.Verdict) {
		for _, w := range widths {
			list = append(list, record.Verdict{Ratio: record.Ratio{Interval: steady.Interval{Low: 1 - w/2, At: 1, High: 1 + w/2}}})
		}
		return list
	}
	if record.Noisy(verdicts(0.1, 0.2, 0.5)) || !record.Noisy(verdicts(0.1, 0.4, 0.5)) || record.Noisy(nil) {
		t.Error("one wide interval of three is no noise, two are")
	}
}
