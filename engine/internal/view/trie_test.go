package view_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
)

func TestTrieAgainstScan(t *testing.T) {
	tries := 0
	for seed := range uint64(80) {
		v, tt, r, label := randomView(t, seed)
		known := tt.Known()
		if len(known) == 0 {
			continue
		}
		for range 40 {
			p, o := tt.RandomPattern(r, known), dataset.Order(r.IntN(6))
			if r.IntN(3) > 0 {
				p.P = known[r.IntN(len(known))]
			}
			tr, err := v.Trie(t.Context(), p, o)
			if errors.Is(err, dataset.ErrNoTrie) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			tries++
			c, _ := v.Scan(t.Context(), p, o, nil)
			want := viewtest.Drain(t, c)
			for i := range want {
				want[i][dataset.G] = 0
			}
			var got [][4]dataset.ID
			viewtest.Walk(t, tr, o, [4]dataset.ID{}, 0, &got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %+v %v:\n got %v\nwant %v", label, p, o, got, want)
			}
			checkTrieSeek(t, v, p, o, want, known[r.IntN(len(known))])
		}
	}
	if tries < 100 {
		t.Errorf("only %d patterns had a trie", tries)
	}
}

// checkTrieSeek descends to the last level of the first row and seeks there.
func checkTrieSeek(t *testing.T, v *view.View, p dataset.Pattern, o dataset.Order, rows [][4]dataset.ID, id dataset.ID) {
	t.Helper()
	if len(rows) == 0 {
		return
	}
	tr, err := v.Trie(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	cols := o.Columns()
	for range 3 {
		if ok, err := tr.Open(t.Context()); !ok || err != nil {
			t.Fatalf("Open: %v, %v", ok, err)
		}
	}
	want, found := dataset.ID(0), false
	for _, row := range rows {
		if row[cols[0]] == rows[0][cols[0]] && row[cols[1]] == rows[0][cols[1]] && row[cols[2]] >= id {
			want, found = row[cols[2]], true
			break
		}
	}
	ok, err := tr.Seek(t.Context(), id)
	if err != nil || ok != found || ok && tr.Key() != want {
		t.Fatalf("Seek %d: %v, %v; want %v, %d", id, ok, err, found, want)
	}
	tr.Up()
	tr.Up()
	// Down again below the first id: the trie starts over there.
	if ok, err := tr.Open(t.Context()); !ok || err != nil || tr.Key() != rows[0][cols[1]] {
		t.Fatalf("Open again: %v, %v", ok, err)
	}
}

func TestRangesAreExact(t *testing.T) {
	classes := []struct {
		c  dataset.Class
		in func(surface string) bool
	}{
		{dataset.Class{Kind: dataset.IRIs}, func(s string) bool { return s[0] == '<' && s[1] != '<' }},
		{dataset.Class{Kind: dataset.IRIPrefix, Prefix: "http://ex/t1"}, func(s string) bool { return strings.HasPrefix(s, "<http://ex/t1") }},
		{dataset.Class{Kind: dataset.IRIPrefix, Prefix: "<"}, func(string) bool { return false }},
		{dataset.Class{Kind: dataset.Literals}, func(s string) bool { return s[0] == '"' }},
		{dataset.Class{Kind: dataset.LiteralText, Prefix: "text 1"}, func(s string) bool { return strings.HasPrefix(s, `"text 1`) }},
		{dataset.Class{Kind: dataset.BlankNodes}, func(s string) bool { return s[0] == '_' }},
		{dataset.Class{Kind: dataset.TripleTerms}, func(s string) bool { return strings.HasPrefix(s, "<<") }},
	}
	for seed := range uint64(60) {
		v, tt, _, label := randomView(t, seed)
		for _, c := range classes {
			ranges, exact, err := v.Ranges(t.Context(), c.c)
			if err != nil || !exact {
				t.Fatal(err)
			}
			for i, r := range ranges {
				if r.Lo > r.Hi || i > 0 && ranges[i-1].Hi >= r.Lo {
					t.Fatalf("%s: ranges %v do not ascend", label, ranges)
				}
			}
			for id, s := range tt.Surface {
				in := slices.ContainsFunc(ranges, func(r dataset.IDRange) bool { return r.Lo <= id && id <= r.Hi })
				if in != c.in(s) {
					t.Fatalf("%s: %s is in the ranges of %+v: %v", label, s, c.c, in)
				}
			}
		}
	}
	if _, _, err := view.NewView(nil, nil).Ranges(t.Context(), dataset.Class{Kind: dataset.TemporalRange + 1}); err == nil {
		t.Error("an unknown class was taken")
	}
}
