package textsearch_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
)

// plain is a Dataset that can do no more than it must.
type plain struct{ dataset.Dataset }

// data are n texts in the default graph and one in another, in a file with a text index.
func data(t *testing.T, n int) dataset.Dataset {
	var quads [][4]string
	for i := range n {
		quads = append(quads, [4]string{fmt.Sprintf("<http://ex/s%d>", i), "<http://ex/p>", fmt.Sprintf(`"all number%d %d"`, i%7, i)})
	}
	quads = append(quads, [4]string{"<http://ex/s>", "<http://ex/p>", `"all of another"`, "<http://ex/g>"})
	s := segtest.Open(t, "data.rete", quads, &segment.WriterOptions{TextIndex: true}, cache.New(8<<20))
	return enginetest.NewView([]enginetest.Entry{{Adds: enginetest.SegmentLayer(s)}}, nil)
}

// found lists the hits of a search.
func found(ctx context.Context, ds dataset.Dataset, g dataset.Graphs, words string, limit int, hold func(int64) error) (list []string, err error) {
	for h, err := range textsearch.Search(ctx, ds, g, words, limit, hold) {
		if err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("%v %v %.4f", h.Subject, h.Literal, h.Score))
	}
	return list, nil
}

// TestAlike: with an index, without one, and without a dictionary a search finds the same.
func TestAlike(t *testing.T) {
	ds := data(t, 2000)
	if found, _, err := ds.(dataset.TextIndex).TextTokens(t.Context(), nil); err != nil || found == nil {
		t.Fatalf("no index: %v", err)
	}
	for _, words := range []string{"all", "all 17", "number* 1*", "number3", "nothing", "a*"} {
		for _, limit := range []int{0, 1, 40, 5000} {
			want, err := found(t.Context(), ds, dataset.Graphs{}, words, limit, nil)
			if err != nil {
				t.Fatal(err)
			}
			for what, other := range map[string]dataset.Dataset{
				"no index": struct {
					dataset.Dataset
					dataset.TermScan
				}{ds, ds.(dataset.TermScan)},
				"no dictionary": plain{ds},
			} {
				got, err := found(t.Context(), other, dataset.Graphs{}, words, limit, nil)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, %q, limit %d: %d hits, want %d, %v", what, words, limit, len(got), len(want), err)
				}
			}
		}
	}
}

// TestGraphs searches other graphs than the default one.
func TestGraphs(t *testing.T) {
	ds := data(t, 10)
	for _, c := range []struct {
		g    dataset.Graphs
		hits int
	}{
		{dataset.Graphs{}, 10}, {dataset.Graphs{Mode: dataset.Each}, 1}, {dataset.Graphs{Mode: dataset.Merge}, 11},
		{dataset.Graphs{Mode: dataset.Merge, NamedOnly: true}, 1}, {dataset.Graphs{Mode: dataset.Each, Set: []dataset.ID{}}, 0},
	} {
		if got, err := found(t.Context(), ds, c.g, "all", 0, nil); err != nil || len(got) != c.hits {
			t.Errorf("%+v: %d hits, want %d, %v", c.g, len(got), c.hits, err)
		}
	}
}

// TestRefused: a search ends with the error of what is told how much it holds, and with its context.
func TestRefused(t *testing.T) {
	ds, full := data(t, 3000), errors.New("full")
	for _, words := range []string{"all", "number* all"} {
		for _, of := range []dataset.Dataset{ds, plain{ds}} {
			most := int64(0)
			if _, err := found(t.Context(), of, dataset.Graphs{}, words, 0, func(n int64) error { most += n; return nil }); err != nil {
				t.Fatal(err)
			}
			held := int64(0)
			_, err := found(t.Context(), of, dataset.Graphs{}, words, 0, func(n int64) error {
				if held += n; held > most/2 {
					return full
				}
				return nil
			})
			if err != full || most < 3000*50 {
				t.Errorf("%q: %v, %d bytes in all", words, err, most)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := found(ctx, of, dataset.Graphs{}, words, 0, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("%q, with a context that has ended: %v", words, err)
			}
		}
	}
}
