package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/bench/internal/record"
	"github.com/rete-go/rete/bench/internal/steady"
)

// ratio is one with an interval of the given width.
func ratio(at, width float64) record.Ratio {
	return record.Ratio{Interval: steady.Interval{Low: at * (1 - width/2), At: at, High: at * (1 + width/2)}}
}

// What is worse is measured once more, beside the commit with the best record, and only what is worse
// than that fails.
func TestJudge(t *testing.T) {
	type all = map[string]record.Ratio
	before := []*record.Record{
		{Commit: "aaaaaaaaaa", Ratios: all{"fold": ratio(1, 0.1), "join": ratio(0.9, 0.1)}},
		{Commit: "bbbbbbbbbb", Ratios: all{"fold": ratio(0.9, 0.1), "join": ratio(1, 0.1)}},
	}
	for _, c := range []struct {
		name  string
		runs  [][]all // what each measurement gives, of the tree and of commits
		busy  float64
		text  string
		fails bool
	}{
		{"as before", [][]all{{{"fold": ratio(1, 0.1), "join": ratio(0.95, 0.1)}}}, 0.05, "nothing is worse", false},
		{"worse", [][]all{{{"fold": ratio(0.75, 0.1), "join": ratio(1, 0.1)}}, {{"fold": ratio(0.7, 0.1)}, {"fold": ratio(1, 0.1)}}}, 0, "worse: fold", true},
		{"worse once", [][]all{{{"fold": ratio(0.75, 0.1), "join": ratio(1, 0.1)}}, {{"fold": ratio(1, 0.1)}, {"fold": ratio(1, 0.1)}}}, 0, "nothing is worse", false},
		{"all are worse today", [][]all{{{"fold": ratio(0.7, 0.1), "join": ratio(1, 0.1)}}, {{"fold": ratio(0.7, 0.1)}, {"fold": ratio(0.75, 0.1)}}}, 0, "nothing is worse", false},
		{"too noisy", [][]all{{{"fold": ratio(0.5, 0.5), "join": ratio(0.5, 0.4)}}}, 0, "too noisy", false},
		{"others run", [][]all{{{"fold": ratio(0.5, 0.1), "join": ratio(0.5, 0.1)}}}, 0.9, "other programs used 0.90", false},
	} {
		var out strings.Builder
		var asked, beside [][]string
		err := judge(&out, &record.Record{}, before, func(names []string, commits ...string) ([]map[string]record.Ratio, float64, error) {
			asked, beside = append(asked, names), append(beside, commits)
			return c.runs[len(asked)-1], c.busy, nil
		})
		if len(asked) != len(c.runs) || len(asked) > 1 && (!slices.Equal(asked[1], []string{"fold"}) || !slices.Equal(beside[1], []string{"aaaaaaa"})) {
			t.Errorf("%s: measured %v beside %v", c.name, asked, beside)
		}
		if errors.Is(err, errWorse) != c.fails || !strings.Contains(out.String(), c.text) {
			t.Errorf("%s: %v\n%s", c.name, err, out.String())
		}
	}
}
